// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/library/library.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Links a small program that needs the C++ library by the command, into nowhere; all that it needs has to be
/// there, also where a library is made of it. What the driver or the linker complained of, in its own words;
/// nothing when it is linked. Takes about as long as compiling an empty file.
std::optional<std::string> failed_link(const std::vector<std::string>& command, const Processes& processes);

/// Links the same program with the linker telling which files it reads. Why it cannot be right, in words: the
/// link fails, or takes another file than `facts` for the standard library, both named. Nothing when all is
/// well. Takes as long.
std::optional<std::string> failed_trial(const std::vector<std::string>& command, const LibraryFacts& facts,
                                        const Files& files, const Processes& processes);

} // namespace hostpin
