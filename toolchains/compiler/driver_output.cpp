// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/driver_output.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view marker = "hostpin_probe ";

/// A suffix such as the L of 201703L is dropped.
std::optional<long> number(std::string_view word) {
  if (word.ends_with('L'))
    word.remove_suffix(1);
  long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  constexpr long largest = 99'999'999;
  if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > largest)
    return std::nullopt;
  return value;
}

} // namespace

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view text, std::size_t most) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string_view> words;
  while (words.size() < most) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
      return words;
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return words;
}

// Words are read across lines, because GCC inserts a newline and a line marker before the expansion of a
// macro that a system header defined.
Marked marked_numbers(std::string_view all) {
  std::string text;
  for (const std::string_view line : lines_of(all))
    if (!line.starts_with('#'))
      text.append(line).append(1, '\n');
  std::string_view output = text;
  Marked marked;
  for (std::size_t at = output.find(marker); at != std::string_view::npos; at = output.find(marker)) {
    output.remove_prefix(at + marker.size());
    const std::vector<std::string_view> words = words_of(output.substr(0, output.find(marker)), 5);
    std::vector<long> numbers;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto value = number(words[i]);
      if (!value)
        break;
      numbers.push_back(*value);
    }
    if (!numbers.empty())
      marked.emplace(words.front(), std::move(numbers));
  }
  return marked;
}

std::string complaint(const Lines& lines) {
  std::string_view chosen;
  for (const std::string_view line : lines) {
    if (std::none_of(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) != 0; }))
      continue; // empty, or a rule such as mpicxx prints
    chosen = line;
    // -v prints configure arguments and command lines, which contain --disable-werror and -ferror-limit.
    if (line.starts_with("Configured with:") || line.starts_with(' '))
      continue;
    if (line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos)
      break;
  }
  constexpr std::size_t longest = 160;
  std::string text;
  for (const char c : chosen.substr(0, longest))
    text += c >= ' ' && c <= '~' ? c : '?';
  return text;
}

} // namespace hostpin
