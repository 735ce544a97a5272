// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/version.hpp"

#include <array>
#include <charconv>

namespace hostpin {

std::optional<Version> parse_version(std::string_view text) {
  constexpr int largest_part = 999999;
  Version version;
  const std::array parts{&version.major, &version.minor, &version.patch};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int* const part : parts) {
    // from_chars would take a minus sign.
    if (at == end || *at < '0' || *at > '9')
      return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc() || *part > largest_part)
      return std::nullopt;
    if (next == end)
      return version;
    if (*next != '.')
      return std::nullopt;
    at = next + 1;
  }
  return std::nullopt;
}

std::string to_string(const Version& version) {
  std::string text = std::to_string(version.major) + '.' + std::to_string(version.minor);
  if (version.patch != 0)
    text += '.' + std::to_string(version.patch);
  return text;
}

std::string to_full_string(const Version& version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' +
         std::to_string(version.patch);
}

} // namespace hostpin
