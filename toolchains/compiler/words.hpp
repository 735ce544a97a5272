// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The words of a compiler's command as `command_words` splits it, but a path may hold blanks without quotes:
/// the longest beginning that is a file's path is its first word. nvcc takes the whole of such a value as a
/// path, and CMake the longest such beginning.
Result<std::vector<std::string>> driver_words(const Files& files, const std::string& text);

} // namespace hostpin
