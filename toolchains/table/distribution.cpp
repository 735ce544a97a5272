// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/distribution.hpp"

#include <algorithm>

namespace hostpin {

namespace {

/// The value of `NAME=value` with the quotes of a shell word removed.
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

std::string replaced(std::string text, std::string_view placeholder, const std::string& value) {
  if (const std::size_t at = text.find(placeholder); at != std::string::npos)
    text.replace(at, placeholder.size(), value);
  return text;
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

Installation installation(const Table& table, const std::vector<std::string>& distributions, Family family,
                          int major) {
  for (const std::string& id : distributions) {
    for (const PackageName& row : table.packages) {
      if (std::find(row.distributions.begin(), row.distributions.end(), id) == row.distributions.end())
        continue;
      const std::string& name = family == Family::clang ? row.clang : row.gcc;
      if (name.empty() || family == Family::other)
        return {};
      std::string package = replaced(name, "{major}", std::to_string(major));
      std::string command = replaced(row.command, "{package}", package);
      return {std::move(package), std::move(command)};
    }
  }
  return {};
}

std::string install_hint(const Table& table, const std::vector<std::string>& distributions, Family family,
                         const std::vector<int>& majors) {
  if (majors.empty())
    return {};
  const Installation named = installation(table, distributions, family, majors.front());
  if (!named.package.empty())
    return "install " + named.package + " (" + named.command + ')';
  return std::string("install ") + (family == Family::clang ? "Clang " : "GCC ") +
         std::to_string(majors.front());
}

} // namespace hostpin
