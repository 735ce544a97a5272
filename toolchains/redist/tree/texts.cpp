// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/texts.hpp"

#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>

namespace hostpin::redist {

namespace {

constexpr std::string_view blanks = " \t";

/// Calls `take` with each line and its number, from 1.
template <typename Take>
void each_line(std::string_view text, Take take) {
  unsigned number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end), ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

bool skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// What follows a directive of this name, with blanks removed; nothing if the line is not one.
std::optional<std::string_view> directive(std::string_view line, std::string_view name) {
  skip_blanks(line);
  if (!skip(line, "#"))
    return std::nullopt;
  skip_blanks(line);
  if (!skip(line, name))
    return std::nullopt;
  skip_blanks(line);
  return line;
}

/// Whether a line ends inside a comment of several lines, if it began in one or not.
bool ends_in_comment(std::string_view line, bool inside) {
  while (true) {
    const std::size_t at = line.find(inside ? "*/" : "/*");
    if (at == line.npos)
      return inside;
    if (!inside && line.substr(0, at).find("//") != line.npos)
      return false;
    line.remove_prefix(at + 2);
    inside = !inside;
  }
}

std::optional<Include> include_in(std::string_view line) {
  const auto rest = directive(line, "include");
  if (!rest || rest->empty())
    return std::nullopt;
  const bool quoted = rest->front() == '"';
  if (!quoted && rest->front() != '<')
    return std::nullopt;
  const std::size_t end = rest->find(quoted ? '"' : '>', 1);
  if (end == rest->npos || end == 1)
    return std::nullopt;
  return Include{std::string(rest->substr(1, end - 1)), quoted};
}

bool is_path_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._+-").find(c) != std::string_view::npos;
}

/// The path that begins here with one of the prefixes; empty if there is none.
std::string_view path_at(std::string_view text, const std::vector<std::string>& prefixes) {
  if (std::ranges::none_of(prefixes, [&](const std::string& prefix) { return text.starts_with(prefix); }))
    return {};
  return text.substr(
      0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_path_character) - text.begin()));
}

} // namespace

std::vector<Include> includes_of(std::string_view header) {
  std::set<Include> found;
  bool inside = false;
  each_line(header, [&](std::string_view line, unsigned) {
    if (!inside)
      if (auto include = include_in(line))
        found.insert(*std::move(include));
    inside = ends_in_comment(line, inside);
  });
  return {found.begin(), found.end()};
}

std::optional<std::uint64_t> macro_value(std::string_view header, std::string_view name) {
  std::optional<std::uint64_t> value;
  each_line(header, [&](std::string_view line, unsigned) {
    auto rest = value ? std::nullopt : directive(line, "define");
    if (!rest || !skip(*rest, name) || rest->empty() || blanks.find(rest->front()) == blanks.npos)
      return;
    skip_blanks(*rest);
    std::uint64_t number = 0;
    if (std::from_chars(rest->data(), rest->data() + rest->size(), number).ec == std::errc{})
      value = number;
  });
  return value;
}

std::vector<HostPath> host_paths_in(std::string_view text, const std::vector<std::string>& prefixes) {
  std::vector<HostPath> found;
  std::set<std::string, std::less<>> known;
  each_line(text, [&](std::string_view line, unsigned number) {
    std::string_view content = line;
    skip_blanks(content);
    if (content.starts_with('#'))
      return;
    for (std::size_t at = line.find('/'); at != line.npos; at = line.find('/', at + 1)) {
      if (at > 0 && (is_path_character(line[at - 1]) || line[at - 1] == '}' || line[at - 1] == ')'))
        continue;
      const std::string_view path = path_at(line.substr(at), prefixes);
      if (!path.empty() && known.emplace(path).second)
        found.push_back({number, std::string(path)});
    }
  });
  return found;
}

std::optional<std::string> pkgconfig_name(std::string_view file) {
  std::string_view name = base_name(file);
  if (!name.ends_with(".pc") || name.size() == 3)
    return std::nullopt;
  return std::string(name.substr(0, name.size() - 3));
}

std::optional<std::string> cmake_name(std::string_view file) {
  const std::string_view name = base_name(file);
  for (const std::string_view suffix : {"-config.cmake", "Config.cmake"})
    if (name.ends_with(suffix) && name.size() > suffix.size())
      return std::string(name.substr(0, name.size() - suffix.size()));
  return std::nullopt;
}

} // namespace hostpin::redist
