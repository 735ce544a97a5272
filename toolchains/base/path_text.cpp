// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"

#include "toolchains/base/text.hpp"

#include <algorithm>
#include <utility>

namespace hostpin {

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos)
    return path.empty() ? "" : ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

bool survives_the_shell(std::string_view path) {
  return path.find_first_of("\"$`\\\n") == std::string_view::npos;
}

std::string percent_encoded(std::string_view path) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain.find(c) != std::string_view::npos)
      text += c;
    else
      text.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
  }
  return text;
}

std::string without_user(std::string_view address) {
  constexpr std::string_view separator = "://";
  const std::size_t scheme = address.find(separator);
  if (scheme == std::string_view::npos)
    return std::string(address);
  std::size_t begin = scheme + separator.size();
  if (!address.substr(0, scheme).ends_with("file")) // libcurl reads https:///host as https://host
    begin = std::min(address.find_first_not_of('/', begin), address.size());
  const std::size_t end = std::min(address.find_first_of("/?#", begin), address.size());
  const std::size_t at = address.substr(begin, end - begin).rfind('@');
  if (at == std::string_view::npos)
    return std::string(address);
  return std::string(address.substr(0, begin)).append(address.substr(begin + at + 1));
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos)
    return std::string(text);
  std::string quoted = "'";
  for (const char c : text)
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  return quoted + '\'';
}

std::string shell_words(const std::vector<std::string>& words) {
  return joined(words, " ", shell_word);
}

std::string nix_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text)
    if (c == '\r' ||
        c == '\n') // Nix reads the first as the second; each line of a string may get an indentation
      quoted.append(1, '\\').append(1, c == '\r' ? 'r' : 'n');
    else
      quoted.append(c == '"' || c == '\\' || c == '$' ? "\\" : "").push_back(c);
  return quoted + '"';
}

std::vector<std::string> split(std::string_view list, std::string_view separators) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = list.find_first_of(separators);
    parts.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    list.remove_prefix(end + 1);
  }
}

std::vector<std::string> filled_parts(std::string_view list, std::string_view separators) {
  std::vector<std::string> parts = split(list, separators);
  std::erase_if(parts, [](const std::string& part) { return part.empty(); });
  return parts;
}

std::vector<std::string> absolute_directories(std::string_view path) {
  std::vector<std::string> directories;
  for (std::string& entry : filled_parts(path, ":")) {
    while (entry.size() > 1 && entry.back() == '/')
      entry.pop_back();
    if (entry.starts_with('/'))
      directories.push_back(std::move(entry));
  }
  return directories;
}

} // namespace hostpin
