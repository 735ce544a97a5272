// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::cmdline {

/// The arguments of a command such as the value of CXX: split at white space, with the shell's quotes and
/// backslash, without any expansion. An error if a quote is not closed.
Result<std::vector<std::string>> command_words(std::string_view text);

/// Splits the text of a response file as GCC and Clang do: white space separates, single and double quotes
/// group, a backslash makes the next byte literal, a NUL ends the text. Rewrites `text` in place; the views
/// point into it.
std::vector<std::string_view> split_response(std::string& text);

/// Splits the text of one of nvcc's options files into arguments, unescaped into `storage`, a NUL after each.
/// Blanks are space, tab, CR and LF. Double quotes group and are removed. A backslash makes the next
/// character literal, in quotes too, but a space or tab after it starts no argument, and a quote after it is
/// removed unless a backslash is left before it. Nothing else is special; there are no comments. A NUL hides
/// the rest of its line and joins it with the next. False on a stray quote or backslash, where nvcc gives up.
bool split_option_file(std::string_view text, std::string& storage, std::vector<std::string_view>& words);

/// Splits the value of NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS. Blanks are space and tab; double quotes group
/// but stay part of the argument. With `escaped_quotes` (12.4 and 13.0, not 11.2 and 11.8) a quote after a
/// backslash does not close one. False on a stray quote.
bool split_flags(std::string_view value, bool escaped_quotes, std::vector<std::string_view>& words);

/// Splits the value of one of nvcc's list options at its commas. Double quotes group and are removed, except
/// those that `escaped_quotes` escapes; blanks around an element and empty elements are removed. Nothing on a
/// stray quote.
std::optional<std::vector<std::string>> split_list(std::string_view value, bool escaped_quotes);

} // namespace hostpin::cmdline
