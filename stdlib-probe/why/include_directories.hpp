// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// Directories of the user's headers, which flags name: as spelt, without the main system ones.
std::vector<std::string> own_directories(const std::vector<std::string>& flags);

/// Directories of system headers, which flags name (-isystem and the like): as spelt.
std::vector<std::string> named_system_directories(const std::vector<std::string>& flags);

/// The compiler's default directories, without those that are also the user's.
std::vector<std::string> system_directories(const Files& files, const Compiler& compiler,
                                            const std::vector<std::string>& own);

} // namespace hostpin
