// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// Directories of the user's own headers, which flags name: as spelt, without the system's main ones.
std::vector<std::string> own_directories(const std::vector<std::string>& flags);

/// Directories of others' headers, which flags name (-isystem and its like): as spelt.
std::vector<std::string> named_system_directories(const std::vector<std::string>& flags);

/// Where the compiler looks by itself, less what is also the user's own.
std::vector<std::string> system_directories(const Files& files, const Compiler& compiler,
                                            const std::vector<std::string>& own);

} // namespace hostpin
