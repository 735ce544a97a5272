// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/html.hpp"

#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace hostpin::report {

namespace {

// Two cells wide: the blocks that matter for file names (Unicode's EastAsianWidth W and F).
constexpr std::array<std::pair<char32_t, char32_t>, 8> wide = {{{0x1100, 0x115f},
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
  const char32_t point = first_character(character).point;
  return std::any_of(wide.begin(), wide.end(),
                     [&](const auto& range) { return point >= range.first && point <= range.second; })
             ? 2
             : 1;
}

struct Escape {
  char character;
  std::string_view text;
};
constexpr std::array<Escape, 5> of_html = {
    {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
constexpr std::array<Escape, 5> of_script = {
    {{'"', "\\\""}, {'\\', "\\\\"}, {'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}}};

/// Readable text with those characters replaced.
std::string replaced(std::string_view bytes, const std::array<Escape, 5>& escapes) {
  std::string text;
  for (const char c : readable(bytes)) {
    const auto* const escape =
        std::find_if(escapes.begin(), escapes.end(), [&](const Escape& one) { return one.character == c; });
    if (escape == escapes.end())
      text += c;
    else
      text += escape->text;
  }
  return text;
}

struct Row {
  std::string_view word;
  Mark mark;
};

// Signs from Unicode blocks that every system's fonts cover.
constexpr std::array<Row, 16> rows = {{
    {"fits", {"good", "✓", "fits"}},
    {"other-target", {"quiet", "–", "other target"}},
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

/// Text between backquotes as <code>, as messages mark what a program prints; an odd one stays.
std::string with_code(std::string_view markup) {
  std::string all;
  for (std::size_t open = markup.find('`'); open != std::string_view::npos; open = markup.find('`')) {
    const std::size_t close = markup.find('`', open + 1);
    if (close == std::string_view::npos)
      break;
    all +=
        fmt::format("{}<code>{}</code>", markup.substr(0, open), markup.substr(open + 1, close - open - 1));
    markup.remove_prefix(close + 1);
  }
  return all.append(markup);
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
    } else if (is_invisible(point)) {
      text += fmt::format("[U+{:04X}]", static_cast<unsigned>(point));
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::string html(std::string_view bytes) {
  return replaced(bytes, of_html);
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
  return '"' + replaced(bytes, of_script) + '"';
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

Mark mark(std::string_view word) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.word == word; });
  return found == rows.end() ? Mark{"doubtful", "?", word} : found->mark;
}

std::string marked(const Mark& mark) {
  return fmt::format("<span class=\"mark {}\"><span aria-hidden=\"true\">{}</span> {}</span>", mark.style,
                     mark.sign, html(mark.word));
}

std::string marked(std::string_view word) {
  return marked(mark(word));
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

std::string path_span(std::string_view path, bool breaks) {
  std::string text;
  for (const char c : html(path)) {
    text += c;
    if (breaks && c == '/')
      text += "<wbr>";
  }
  return fmt::format("<span class=\"path\">{}</span>", text);
}

std::string definition(std::string_view term, std::string_view html) {
  return html.empty() ? std::string() : fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", term, html);
}

std::string list(std::string_view style, const std::string& items_html) {
  return items_html.empty() ? items_html : fmt::format("<ul class=\"{}\">\n{}</ul>\n", style, items_html);
}

std::string note_list(const std::vector<std::string>& texts) {
  std::string items;
  for (const std::string& text : texts)
    items += fmt::format("<li>{}</li>\n", with_code(html(text)));
  return list("notes", items);
}

std::string scrolling(std::string_view label, const std::string& html) {
  return fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}, scrollable\">\n"
                     "{}</div>\n",
                     label, html);
}

std::string table(std::string_view attributes, std::string_view label, std::string_view caption,
                  const std::string& columns_html, const std::string& rows_html) {
  return scrolling(
      label, fmt::format("<table {}>\n<caption><span>{}</span></caption>\n<thead><tr>\n{}</tr></thead>\n"
                         "<tbody>\n{}</tbody>\n</table>\n",
                         attributes, caption, columns_html, rows_html));
}

std::string columns_of(const std::vector<const char*>& names) {
  std::string all;
  for (const char* const name : names)
    all += fmt::format("<th scope=\"col\">{}</th>\n", name);
  return all;
}

std::string section(std::string_view id, std::string_view title, const std::string& html) {
  return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", id, title,
                     html);
}

} // namespace hostpin::report
