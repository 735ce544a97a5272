// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What stands between marks, at least one part: two marks side by side have an empty one between them.
std::vector<std::string> split(std::string_view text, char mark);

/// The inverse of `split`.
std::string joined(const std::vector<std::string>& parts, char mark);

/// Without spaces, tabs and carriage returns at either end.
std::string_view trimmed(std::string_view text);

} // namespace hostpin
