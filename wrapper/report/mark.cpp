// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/mark.hpp"

#include "wrapper/report/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace hostpin {

namespace {

struct Row {
  std::string_view word;
  Mark mark;
};

// Signs from Unicode blocks that every system's fonts cover.
constexpr std::array<Row, 15> rows = {{
    {"fits", {"good", "✓", "fits"}},
    {"too-new", {"bad", "↑", "too new"}},
    {"too-old", {"bad", "↓", "too old"}},
    {"broken", {"bad", "✕", "broken"}},
    {"unknown", {"doubtful", "?", "unknown"}},
    {"ok", {"good", "✓", "fits"}},
    {"mismatch", {"bad", "✕", "does not fit"}},
    {"silent-loss", {"bad", "✕", "silently lost"}},
    {"risky", {"doubtful", "!", "risky"}},
    {"unreadable", {"bad", "?", "unreadable"}},
    {"none", {"quiet", "–", "no such code"}},
    {"error", {"bad", "✕", "error"}},
    {"warning", {"doubtful", "!", "warning"}},
    {"note", {"quiet", "i", "note"}},
    {"not-found", {"doubtful", "?", "not found"}},
}};

} // namespace

Mark mark(std::string_view word) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.word == word; });
  return found == rows.end() ? Mark{"doubtful", "?", word} : found->mark;
}

std::string marked(std::string_view word) {
  const Mark shown = mark(word);
  return fmt::format("<span class=\"mark {}\"><span aria-hidden=\"true\">{}</span> {}</span>", shown.style,
                     shown.sign, html(shown.word));
}

std::string counted(std::size_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", counted(number), noun, number == 1 ? "" : "s");
}

std::string note_list(const std::vector<std::string>& texts) {
  std::string items;
  for (const std::string& text : texts)
    items += fmt::format("<li>{}</li>\n", html(text));
  return items.empty() ? items : fmt::format("<ul class=\"notes\">\n{}</ul>\n", items);
}

} // namespace hostpin
