// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/text/pkg_config.hpp"

#include "hooks/leak-check/text/words.hpp"

#include <algorithm>
#include <utility>

namespace hostpin {

namespace {

// Values are limited because each variable may name the one before it twice, and so double with every line.

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

} // namespace

PkgConfig::PkgConfig(std::string directory) {
  if (!directory.empty())
    variables_["pcfiledir"] = std::move(directory);
}

std::optional<PkgConfig::Entry> PkgConfig::line(std::string_view text) {
  const std::size_t mark = text.find_first_of("=:");
  if (mark == std::string_view::npos || trimmed(text).starts_with('#'))
    return std::nullopt;
  const std::string_view key = trimmed(text.substr(0, mark));
  if (!is_name(key))
    return std::nullopt;
  Entry entry{std::string(key), replaced(trimmed(text.substr(mark + 1)), variables_)};
  if (text[mark] == '=' && key.size() <= longest_key)
    variables_[entry.key] = entry.value;
  return entry;
}

std::string replaced(std::string_view value, const Variables& variables) {
  std::string result;
  while (!value.empty() && result.size() < longest_value) {
    const std::size_t dollar = std::min(value.find("${"), value.size());
    result += value.substr(0, dollar);
    value.remove_prefix(dollar);
    const std::size_t end = value.find('}');
    if (value.empty() || end == std::string_view::npos)
      break;
    const auto known = variables.find(value.substr(2, end - 2));
    result += known == variables.end() ? value.substr(0, end + 1) : std::string_view(known->second);
    value.remove_prefix(end + 1);
  }
  result += value;
  result.resize(std::min(result.size(), longest_value));
  return result;
}

} // namespace hostpin
