// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/metadata/file_name.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <cstddef>

namespace hostpin::wheel {

namespace {

constexpr std::string_view suffix = ".whl";
constexpr const char* form = "a wheel is named DISTRIBUTION-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

} // namespace

std::vector<std::string> WheelName::tags() const {
  std::vector<std::string> all;
  for (const std::string& python : pythons)
    for (const std::string& abi : abis)
      for (const std::string& platform : platforms)
        all.push_back(python + '-' + abi + '-' + platform);
  return all;
}

std::string WheelName::file_name() const {
  return distribution + '-' + version + (build.empty() ? "" : '-' + build) + '-' + joined(pythons, ".") +
         '-' + joined(abis, ".") + '-' + joined(platforms, ".") + (variant.empty() ? "" : '-' + variant) +
         std::string(suffix);
}

Result<WheelName> read_wheel_name(std::string_view file_name) {
  constexpr std::size_t least = 5, most = 7;
  if (!file_name.ends_with(suffix))
    return failure(escaped(file_name) + " is not a wheel's name", form);
  std::vector<std::string> parts = split(file_name.substr(0, file_name.size() - suffix.size()), "-");
  const bool empty =
      std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (empty || parts.size() < least || parts.size() > most)
    return failure(escaped(file_name) + " is not a wheel's name", form);
  WheelName name;
  name.distribution = parts[0];
  name.version = parts[1];
  std::size_t at = 2;
  if (parts.size() > least && is_digit(parts[at].front())) // a build tag begins with a digit
    name.build = parts[at++];
  if (parts.size() - at > 4 || parts.size() - at < 3)
    return failure(escaped(file_name) + " is not a wheel's name", form);
  name.pythons = filled_parts(parts[at], ".");
  name.abis = filled_parts(parts[at + 1], ".");
  name.platforms = filled_parts(parts[at + 2], ".");
  if (parts.size() - at == 4)
    name.variant = parts[at + 3];
  if (name.pythons.empty() || name.abis.empty() || name.platforms.empty())
    return failure(escaped(file_name) + " has no tags", form);
  return name;
}

std::string normalised(std::string_view distribution) {
  std::string name;
  for (const char c : distribution) {
    const bool is_separator = c == '-' || c == '_' || c == '.';
    if (is_separator && !name.empty() && name.back() == '-')
      continue;
    name += is_separator ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

} // namespace hostpin::wheel
