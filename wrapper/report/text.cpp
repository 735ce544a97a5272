// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/text.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin {

namespace {

struct Span {
  char32_t first, last;
};

constexpr bool is_among(std::span<const Span> spans, char32_t point) {
  return std::any_of(spans.begin(), spans.end(),
                     [&](const Span& span) { return point >= span.first && point <= span.last; });
}

// C1 controls, and the default ignorable and bidirectional control characters of Unicode that occur in text.
constexpr std::array<Span, 10> unseen = {{{0x80, 0x9f},
                                          {0xad, 0xad},
                                          {0x61c, 0x61c},
                                          {0x180e, 0x180e},
                                          {0x200b, 0x200f},
                                          {0x2028, 0x202e},
                                          {0x2060, 0x206f},
                                          {0xfeff, 0xfeff},
                                          {0xfff9, 0xfffb},
                                          {0xe0000, 0xe0fff}}};
// Two cells wide: the blocks that matter for file names (Unicode's EastAsianWidth W and F).
constexpr std::array<Span, 8> wide = {{{0x1100, 0x115f},
                                       {0x2e80, 0xa4cf},
                                       {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},
                                       {0x1f300, 0x1faff},
                                       {0x20000, 0x3fffd}}};
constexpr std::string_view replacement = "\xef\xbf\xbd";

bool is_noncharacter(char32_t point) {
  return (point >= 0xfdd0 && point <= 0xfdef) || (point & 0xfffeU) == 0xfffeU;
}

/// The first character of `bytes`, and its length; 0 for an invalid byte. No overlong forms, no surrogates,
/// nothing above U+10FFFF.
std::pair<char32_t, std::size_t> first_character(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80)
    return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes.size() < length)
    return {0, 0};
  char32_t point = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0U) != 0x80)
      return {0, 0};
    point = point << 6U | (at(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
    return {0, 0};
  return {point, length};
}

/// Where each character of readable text begins, and its end.
std::vector<std::size_t> beginnings(std::string_view text) {
  std::vector<std::size_t> all;
  for (std::size_t at = 0; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80)
      all.push_back(at);
  all.push_back(text.size());
  return all;
}

std::size_t cells_of(std::string_view character) {
  return is_among(wide, first_character(character).first) ? 2 : 1;
}

} // namespace

std::string readable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto [point, length] = first_character(bytes);
    if (length == 0 || is_noncharacter(point)) {
      text += replacement;
    } else if (point < 0x20 || point == 0x7f) {
      // U+2400 and the following show each control character by its short name.
      text += "\xe2\x90";
      text += static_cast<char>(0x80 + (point == 0x7f ? 0x21 : point));
    } else if (is_among(unseen, point)) {
      text += fmt::format("[U+{:04X}]", static_cast<unsigned>(point));
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::string html(std::string_view bytes) {
  std::string text;
  for (const char c : readable(bytes))
    switch (c) {
    case '&':
      text += "&amp;";
      break;
    case '<':
      text += "&lt;";
      break;
    case '>':
      text += "&gt;";
      break;
    case '"':
      text += "&quot;";
      break;
    case '\'':
      text += "&#39;";
      break;
    default:
      text += c;
    }
  return text;
}

std::string html_path(std::string_view bytes) {
  std::string text;
  for (const char c : html(bytes)) {
    text += c;
    if (c == '/')
      text += "<wbr>";
  }
  return text;
}

std::string html_lines(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at <= bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    text += html(bytes.substr(at, end - at));
    if (end < bytes.size())
      text += '\n';
    at = end + 1;
  }
  return text;
}

std::string script_string(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : readable(bytes))
    switch (c) {
    case '"':
      text += "\\\"";
      break;
    case '\\':
      text += "\\\\";
      break;
    case '<':
      text += "\\u003c";
      break;
    case '>':
      text += "\\u003e";
      break;
    case '&':
      text += "\\u0026";
      break;
    default:
      text += c;
    }
  return text + '"';
}

std::size_t cells(std::string_view readable_text) {
  const std::vector<std::size_t> at = beginnings(readable_text);
  std::size_t sum = 0;
  for (std::size_t i = 0; i + 1 < at.size(); ++i)
    sum += cells_of(readable_text.substr(at[i], at[i + 1] - at[i]));
  return sum;
}

std::string shortened(std::string_view readable_text, std::size_t limit) {
  if (cells(readable_text) <= limit)
    return std::string(readable_text);
  const std::vector<std::size_t> at = beginnings(readable_text);
  const auto width = [&](std::size_t i) { return cells_of(readable_text.substr(at[i], at[i + 1] - at[i])); };
  // The end of a path is more informative than its beginning: it gets the larger part.
  const std::size_t room = limit - 1;
  std::size_t tail = at.size() - 1;
  std::size_t head = 0;
  std::size_t used = 0;
  for (; tail > 0 && used + width(tail - 1) <= room - room / 3; --tail)
    used += width(tail - 1);
  for (; head < tail && used + width(head) <= room; ++head)
    used += width(head);
  std::string text(readable_text.substr(0, at[head]));
  text += "\xe2\x80\xa6";
  text += readable_text.substr(at[tail]);
  return text;
}

} // namespace hostpin
