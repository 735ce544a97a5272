// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The words of a command such as the value of CXX: split at white space, with the shell's quotes and
/// backslash, without any expansion. An error when a quote is left open.
Result<std::vector<std::string>> command_words(std::string_view text);

} // namespace hostpin
