// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/text.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace hostpin::bind {

namespace {

/// Length of the UTF-8 sequence at the front (RFC 3629: no overlong forms, no surrogates), 0 when it is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80)
    return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length)
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

} // namespace

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0)
      quoted += "\xEF\xBF\xBD";
    else if (byte == '"' || byte == '\\')
      quoted.append(1, '\\').append(1, text.front());
    else if (byte < 0x20 || byte == 0x7F)
      quoted += fmt::format("\\u{:04X}", byte);
    else
      quoted.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted + '"';
}

std::string toml_array(const std::vector<std::string>& items) {
  std::string array = "[";
  for (const std::string& item : items)
    array.append(array.size() > 1 ? ", " : "").append(toml_string(item));
  return array + ']';
}

std::string cmake_string(std::string_view text) {
  std::string level;
  while (text.find("]" + level + "]") != std::string_view::npos || text.ends_with("]" + level))
    level += '=';
  // CMake drops a newline right after the opening bracket.
  const char* const newline = text.starts_with('\n') ? "\n" : "";
  return fmt::format("[{0}[{1}{2}]{0}]", level, newline, text);
}

} // namespace hostpin::bind
