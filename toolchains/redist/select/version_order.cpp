// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/version_order.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::redist {

namespace {

/// Removes and returns what is before the first dot.
std::string_view next_part(std::string_view& version) {
  const std::size_t dot = version.find('.');
  const std::string_view part = version.substr(0, dot);
  version.remove_prefix(dot == std::string_view::npos ? version.size() : dot + 1);
  return part;
}

/// Numbers of any length: without leading zeros the longer one is larger.
std::pair<std::size_t, std::string_view> key_of(std::string_view part) {
  part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
  return {part.size(), part};
}

} // namespace

bool is_older(std::string_view version, std::string_view other) {
  while (!version.empty() && !other.empty()) {
    const auto one = key_of(next_part(version)), two = key_of(next_part(other));
    if (one != two)
      return one < two;
  }
  return version.empty() && !other.empty();
}

} // namespace hostpin::redist
