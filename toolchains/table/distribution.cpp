// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/distribution.hpp"

#include "toolchains/base/text.hpp"

#include <algorithm>

namespace hostpin {

namespace {

/// A value without the shell quotes around it.
std::string_view unquoted(std::string_view value) {
  while (!value.empty() && (value.back() == '\r' || value.back() == ' '))
    value.remove_suffix(1);
  const bool quotes =
      value.size() >= 2 && value.front() == value.back() && (value.front() == '"' || value.front() == '\'');
  return quotes ? value.substr(1, value.size() - 2) : value;
}

void add_words(std::vector<std::string>& words, std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin)
      words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// True if the text contains the word between blanks.
bool holds_word(std::string_view text, std::string_view word) {
  constexpr std::string_view blanks = " \t\n\r|";
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || blanks.find(text[at - 1]) != std::string_view::npos) &&
        (end == text.size() || blanks.find(text[end]) != std::string_view::npos))
      return true;
  }
  return false;
}

const PackageName* row_of(const Table& table, const std::vector<std::string>& distributions) {
  for (const std::string& id : distributions)
    for (const PackageName& row : table.packages)
      if (std::find(row.distributions.begin(), row.distributions.end(), id) != row.distributions.end())
        return &row;
  return nullptr;
}

} // namespace

std::vector<std::string> distribution_ids(std::string_view os_release) {
  constexpr std::string_view id_key = "ID=";
  constexpr std::string_view like_key = "ID_LIKE=";
  std::vector<std::string> own;
  std::vector<std::string> like;
  while (!os_release.empty()) {
    const std::size_t end = std::min(os_release.find('\n'), os_release.size());
    const std::string_view line = os_release.substr(0, end);
    os_release.remove_prefix(std::min(end + 1, os_release.size()));
    if (line.substr(0, id_key.size()) == id_key)
      add_words(own, unquoted(line.substr(id_key.size())));
    else if (line.substr(0, like_key.size()) == like_key)
      add_words(like, unquoted(line.substr(like_key.size())));
  }
  own.insert(own.end(), like.begin(), like.end());
  return own;
}

std::string os_release_value(std::string_view os_release, std::string_view variable) {
  for (std::size_t begin = 0; begin < os_release.size();) {
    const std::size_t end = std::min(os_release.find('\n', begin), os_release.size());
    const std::string_view line = os_release.substr(begin, end - begin);
    if (line.starts_with(variable) && line.substr(variable.size()).starts_with('='))
      return std::string(unquoted(line.substr(variable.size() + 1)));
    begin = end + 1;
  }
  return {};
}

PackageName package_names(const Table& table, const std::vector<std::string>& distributions) {
  const PackageName* const row = row_of(table, distributions);
  return row == nullptr ? PackageName() : *row;
}

Installation installation(const Table& table, const std::vector<std::string>& distributions,
                          const CompilerPackage& compiler, int major) {
  const PackageName* const row = row_of(table, distributions);
  if (row == nullptr || compiler.family == Family::other)
    return {};
  // One Clang serves all targets.
  const std::string& name = compiler.family == Family::clang ? row->clang
                            : compiler.target.empty()        ? row->gcc
                                                             : row->cross_gcc;
  if (name.empty())
    return {};
  std::string package =
      replaced(replaced(name, "{major}", std::to_string(major)), "{target}", compiler.target);
  std::string command = replaced(row->command, "{package}", package);
  return {std::move(package), std::move(command)};
}

std::vector<std::string> package_query(const Table& table, const std::vector<std::string>& distributions,
                                       const CompilerPackage& compiler, const std::vector<int>& majors) {
  const PackageName* const row = row_of(table, distributions);
  if (row == nullptr || row->known.empty())
    return {};
  std::vector<std::string> query = row->known;
  for (const int major : majors)
    if (auto named = installation(table, distributions, compiler, major); !named.package.empty())
      query.push_back(std::move(named.package));
  return query.size() > row->known.size() ? query : std::vector<std::string>();
}

std::string install_hint(const Table& table, const std::vector<std::string>& distributions,
                         const CompilerPackage& compiler, const std::vector<int>& majors,
                         const std::optional<std::string>& listing) {
  if (majors.empty())
    return {};
  for (const int major : majors) {
    const Installation named = installation(table, distributions, compiler, major);
    if (!named.package.empty() && (!listing || holds_word(*listing, named.package)))
      return "install " + named.package + " (" + named.command + ')';
  }
  const Installation newest = installation(table, distributions, compiler, majors.front());
  return std::string("install ") + (compiler.family == Family::clang ? "Clang " : "GCC ") +
         std::to_string(majors.front()) + (compiler.target.empty() ? "" : " for " + compiler.target) +
         (newest.package.empty() ? ""
          : majors.size() == 1
              ? " (this system's package lists have no " + newest.package + ')'
              : " or older (this system's package lists have no " + newest.package + " and no older one)");
}

std::string cross_package(const Table& table, const std::vector<std::string>& distributions,
                          const std::string& triple) {
  const PackageName* const row = row_of(table, distributions);
  if (row == nullptr || row->cross_gcc.empty())
    return {};
  const std::string package = replaced(replaced(row->cross_gcc, "-{major}", ""), "{target}", triple);
  return package + " (" + replaced(row->command, "{package}", package) + ')';
}

} // namespace hostpin
