// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hostpin {

/// A character of a text in UTF-8.
struct Character {
  char32_t point = 0;
  std::size_t length = 0; ///< in bytes; 0: the bytes are not well-formed
};

/// The first character of a text that is not empty. Overlong forms, surrogates and what is above U+10FFFF are
/// not well-formed.
Character first_character(std::string_view text);

/// C1 controls, and characters that are invisible or change the direction of writing (Unicode, general
/// categories Cf, Zl and Zp), as far as they occur in text.
bool is_invisible(char32_t point);

/// Whether all of a text is well-formed.
bool is_utf8(std::string_view text);

/// A name in a form that is safe on a terminal: controls, invisible characters and bytes that are not UTF-8
/// are escaped as in C strings.
std::string escaped(std::string_view name);

} // namespace hostpin
