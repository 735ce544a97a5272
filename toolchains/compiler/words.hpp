// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The words of a command such as the value of CXX: split at white space, with the shell's quotes and
/// backslash, without any expansion. An error when a quote is left open.
Result<std::vector<std::string>> command_words(std::string_view text);

/// The same for a compiler's command, in which a path may hold blanks without quotes: the longest beginning
/// that is a file's path is its first word. nvcc takes the whole of such a value as a path, and CMake the
/// longest such beginning.
Result<std::vector<std::string>> driver_words(const Files& files, const std::string& text);

} // namespace hostpin
