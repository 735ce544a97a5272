// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/difference.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

namespace hostpin::redist {

std::optional<std::uint64_t> first_difference(const std::string& one, const std::string& other) {
  constexpr std::size_t piece = std::size_t{1} << 20U;
  std::ifstream left(one, std::ios::binary), right(other, std::ios::binary);
  std::vector<char> a(piece), b(piece);
  for (std::uint64_t position = 0; left.is_open() && right.is_open();) {
    left.read(a.data(), static_cast<std::streamsize>(piece));
    right.read(b.data(), static_cast<std::streamsize>(piece));
    const std::streamsize count = std::min(left.gcount(), right.gcount());
    const auto [at, ignored] = std::mismatch(a.begin(), a.begin() + count, b.begin());
    if (at != a.begin() + count || left.gcount() != right.gcount())
      return position + static_cast<std::uint64_t>(at - a.begin());
    if (count == 0)
      return std::nullopt;
    position += static_cast<std::uint64_t>(count);
  }
  return std::nullopt;
}

} // namespace hostpin::redist
