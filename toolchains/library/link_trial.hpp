// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/library/library.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Links a small program that needs the C++ library by the command, and discards the output; undefined
/// symbols are errors, even if a shared library is made. Returns the first error of the driver or the linker;
/// nothing if the link succeeds. Takes about as long as compiling an empty file.
std::optional<std::string> failed_link(const std::vector<std::string>& command, const Processes& processes);

/// Links the same program while the linker lists the files it reads. Returns why the link cannot be right: it
/// fails, or uses another file than `facts` for the standard library, both named. Nothing if it is right.
/// Takes as long.
std::optional<std::string> failed_trial(const std::vector<std::string>& command, const LibraryFacts& facts,
                                        const Files& files, const Processes& processes);

} // namespace hostpin
