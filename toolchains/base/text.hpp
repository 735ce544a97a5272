// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace hostpin {

/// The items, or the projection's texts for them, with the separator between two.
template <typename Items, typename Projection = std::identity>
std::string joined(const Items& items, std::string_view separator = ", ", Projection projection = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first)
      text += separator;
    is_first = false;
    text += std::invoke(projection, item);
  }
  return text;
}

/// ASCII letters only, in any locale.
std::string lower_case(std::string_view text);

/// Without these characters at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

/// With all of `from` replaced; replacements are not searched again.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// With so many spaces before each line.
std::string indented(std::string_view text, std::size_t spaces);

/// Two digits for each byte.
std::string hex_of(std::string_view bytes);
/// Whether a text has only digits as `hex_of` writes them; also true if it is empty.
bool is_hex(std::string_view text);

/// ASCII controls as `\x` and two digits; all other bytes unchanged.
std::string with_escaped_controls(std::string_view text);

} // namespace hostpin
