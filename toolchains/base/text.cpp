// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/text.hpp"

namespace hostpin {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

} // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string indented(std::string_view text, std::size_t spaces) {
  std::string result(spaces, ' ');
  for (const char c : text) {
    result += c;
    if (c == '\n')
      result.append(spaces, ' ');
  }
  return result;
}

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.append({hex_digits[byte >> 4U], hex_digits[byte & 15U]});
  }
  return text;
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of(hex_digits) == std::string_view::npos;
}

std::string with_escaped_controls(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result.append("\\x").append(hex_of({&c, 1}));
    else
      result += c;
  return result;
}

} // namespace hostpin
