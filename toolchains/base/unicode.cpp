// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <array>

namespace hostpin {

namespace {

struct Range {
  char32_t first, last;
};
constexpr std::array invisible = {
    Range{0x80, 0x9F},     Range{0xAD, 0xAD},       Range{0x61C, 0x61C},   Range{0x180E, 0x180E},
    Range{0x200B, 0x200F}, Range{0x2028, 0x202E},   Range{0x2060, 0x206F}, Range{0xFEFF, 0xFEFF},
    Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE0FFF},
};

} // namespace

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80)
    return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length)
    return {};
  char32_t point = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80)
      return {};
    point = point << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[length] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
    return {};
  return {point, length};
}

bool is_invisible(char32_t point) {
  return std::any_of(invisible.begin(), invisible.end(),
                     [&](const Range& range) { return range.first <= point && point <= range.last; });
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_character(text).length;
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string escaped(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  while (!name.empty()) {
    const auto [point, length] = first_character(name);
    const bool is_shown = length > 0 && point >= 0x20 && point != 0x7F && !is_invisible(point);
    const auto byte = static_cast<unsigned char>(name.front());
    if (is_shown)
      text += name.substr(0, length);
    else if (byte == '\n')
      text += "\\n";
    else
      text.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
    name.remove_prefix(is_shown ? length : 1);
  }
  return text;
}

} // namespace hostpin
