// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/diagnostics.hpp"

#include <charconv>
#include <optional>

namespace hostpin {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::optional<unsigned> leading_number(std::string_view text) {
  unsigned number = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || next == text.data())
    return std::nullopt;
  return number;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

/// The line of standard input in `In file included from <stdin>:12:` or GCC's `                 from
/// <stdin>:12,`.
std::optional<unsigned> inclusion(std::string_view line) {
  constexpr std::string_view opening = "In file included from ";
  constexpr std::string_view further = "from ";
  constexpr std::string_view input = "<stdin>:";
  line = starts_with(line, opening) ? line.substr(opening.size()) : trimmed(line);
  if (starts_with(line, further))
    line.remove_prefix(further.size());
  if (!starts_with(line, input))
    return std::nullopt;
  line.remove_prefix(input.size());
  const auto number = leading_number(line);
  const bool ends = !line.empty() && (line.back() == ':' || line.back() == ',');
  return ends && line.find(' ') == std::string_view::npos ? number : std::nullopt;
}

struct Place {
  std::string_view file;
  unsigned line = 0;
};

/// `file:line:column` or `file:line`; the file itself may hold colons.
std::optional<Place> place(std::string_view text) {
  std::optional<unsigned> inner;
  for (int numbers = 0; numbers < 2; ++numbers) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos)
      break;
    const auto number = leading_number(text.substr(colon + 1));
    if (!number || text.find_first_not_of("0123456789", colon + 1) != std::string_view::npos)
      break;
    inner = number;
    text = text.substr(0, colon);
  }
  if (!inner)
    return std::nullopt;
  return Place{text, *inner};
}

/// ` 139 | #error -- ...` of newer Clangs or the bare source line of older ones.
bool shows_directive(std::string_view source) {
  source = trimmed(source);
  if (const std::size_t bar = source.find_first_not_of("0123456789 \t");
      bar != std::string_view::npos && bar != 0 && source[bar] == '|')
    source = trimmed(source.substr(bar + 1));
  if (!starts_with(source, "#"))
    return false;
  return starts_with(trimmed(source.substr(1)), "error");
}

} // namespace

std::vector<Diagnostic> diagnostics(std::string_view errors) {
  std::vector<Diagnostic> result;
  const std::vector<std::string_view> lines = lines_of(errors);
  unsigned included_at = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // The stack is printed only where it differs from that of the diagnostic before.
    if (const auto line = inclusion(lines[i])) {
      included_at = *line;
      continue;
    }
    constexpr std::string_view fatal = ": fatal error: ";
    constexpr std::string_view plain = ": error: ";
    std::size_t at = lines[i].find(fatal);
    const std::string_view kind = at != std::string_view::npos ? fatal : plain;
    at = lines[i].find(kind);
    if (at == std::string_view::npos)
      continue;
    Diagnostic found;
    found.text = lines[i].substr(at + kind.size());
    if (const auto where = place(lines[i].substr(0, at))) {
      found.file = where->file;
      found.line = where->line;
      found.included_at = where->file == "<stdin>" ? 0 : included_at;
    }
    const bool source_follows = i + 1 < lines.size() && shows_directive(lines[i + 1]);
    found.directive = kind == plain && (starts_with(found.text, "#error") || source_follows);
    result.push_back(std::move(found));
    i += source_follows ? 1 : 0; // the quoted source may itself hold ": error: "
  }
  return result;
}

} // namespace hostpin
