// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/path_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The inverse of `split`.
std::string joined(const std::vector<std::string>& parts, char mark);

/// Without spaces, tabs and carriage returns at either end.
std::string_view trimmed(std::string_view text);

} // namespace hostpin
