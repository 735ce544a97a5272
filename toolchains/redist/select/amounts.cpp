// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/amounts.hpp"

#include <array>
#include <utility>

namespace hostpin::redist {

std::string amount(std::uint64_t bytes) {
  constexpr std::array<std::pair<std::uint64_t, const char*>, 3> units{
      {{1'000'000'000, " GB"}, {1'000'000, " MB"}, {1'000, " kB"}}};
  for (const auto& [unit, name] : units)
    if (bytes >= unit) {
      const std::uint64_t tenths = bytes / (unit / 10) + (bytes % (unit / 10) >= unit / 20 ? 1 : 0);
      return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + name;
    }
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

} // namespace hostpin::redist
