// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The words of a compiler's command as `command_words` splits it, but a path may contain blanks without
/// quotes: the longest prefix that is a file's path is its first word. nvcc uses the whole value as a path,
/// and CMake the longest such prefix.
Result<std::vector<std::string>> driver_words(const Files& files, const std::string& text);

} // namespace hostpin
