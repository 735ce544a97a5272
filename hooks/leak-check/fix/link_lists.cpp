// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/link_lists.hpp"

#include "hooks/leak-check/text/words.hpp"

#include <algorithm>
#include <array>

namespace hostpin {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::array<std::string_view, 5> pkg_config_fields = {"Libs", "Libs.private", "Cflags",
                                                               "Cflags.private", "CFlags"};
constexpr std::array<std::string_view, 2> libtool_variables = {"dependency_libs='",
                                                               "inherited_linker_flags='"};

/// Where the line that begins at `begin` ends: at its line feed, or at the end of the text.
std::size_t line_end(std::string_view text, std::size_t begin) {
  return std::min(text.find('\n', begin), text.size());
}

/// The same with lines that a backslash at the end of the one before goes on in.
std::size_t joined_end(std::string_view text, std::size_t begin) {
  std::size_t end = line_end(text, begin);
  for (;;) {
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!line.ends_with('\\') || end == text.size())
      return end;
    begin = end + 1;
    end = line_end(text, begin);
  }
}

void add_pkg_config(std::string_view text, std::size_t begin, std::size_t end, std::vector<LinkList>& lists) {
  const std::string_view line = text.substr(begin, end - begin);
  const std::size_t mark = line.find_first_of("=:#");
  if (mark == std::string_view::npos || line[mark] != ':')
    return;
  const std::string_view key = trimmed(line.substr(0, mark));
  if (std::find(pkg_config_fields.begin(), pkg_config_fields.end(), key) == pkg_config_fields.end())
    return;
  const std::size_t comment = std::min(line.find('#'), line.size());
  lists.push_back({begin + mark + 1, begin + comment});
}

void add_libtool(std::string_view text, std::size_t begin, std::size_t end, std::vector<LinkList>& lists) {
  std::string_view line = text.substr(begin, end - begin);
  for (const std::string_view variable : libtool_variables) {
    if (!line.starts_with(variable))
      continue;
    const std::size_t quote = line.find('\'', variable.size());
    const bool is_all = quote != std::string_view::npos &&
                        line.find_first_not_of(blanks, quote + 1) == std::string_view::npos;
    if (is_all)
      lists.push_back({begin + variable.size(), begin + quote});
  }
}

} // namespace

std::vector<LinkList> link_lists(TextFacts::Kind kind, std::string_view text) {
  if (kind == TextFacts::Kind::cmake)
    return cmake_link_lists(text);
  std::vector<LinkList> lists;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = kind == TextFacts::Kind::pkg_config ? joined_end(text, begin) : line_end(text, begin);
    if (kind == TextFacts::Kind::pkg_config)
      add_pkg_config(text, begin, end, lists);
    else if (kind == TextFacts::Kind::libtool)
      add_libtool(text, begin, end, lists);
  }
  return lists;
}

} // namespace hostpin
