// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/terminal.hpp"

#include <algorithm>
#include <cstddef>

namespace hostpin {

namespace {

const char* escape(Tone tone) {
  switch (tone) {
  case Tone::good:
    return "\x1b[32m";
  case Tone::bad:
    return "\x1b[31m";
  case Tone::doubtful:
    return "\x1b[33m";
  case Tone::quiet:
    return "\x1b[2m";
  case Tone::heading:
    return "\x1b[1m";
  case Tone::plain:
    break;
  }
  return "";
}

/// Code points; a continuation byte adds nothing to what is seen.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

} // namespace

std::string Terminal::paint(std::string_view text, Tone tone) const {
  const char* const start = escape(tone);
  if (!colours_ || *start == '\0' || text.empty())
    return std::string(text);
  return std::string(start).append(text).append("\x1b[0m");
}

std::string columns(const std::vector<std::vector<Cell>>& rows, const Terminal& terminal, unsigned indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size())
        widths.push_back(0);
      widths[i] = std::max(widths[i], width(row[i].text));
    }
  std::string text;
  for (const auto& row : rows) {
    std::size_t gap = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!row[i].text.empty()) {
        text.append(gap, ' ').append(terminal.paint(row[i].text, row[i].tone));
        gap = 0;
      }
      gap += widths[i] - width(row[i].text) + 2;
    }
    text += '\n';
  }
  return text;
}

} // namespace hostpin
