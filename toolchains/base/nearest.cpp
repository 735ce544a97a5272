// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hostpin {

namespace {

/// Letters to change, insert, delete or swap with their neighbour (optimal string alignment).
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i)
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t changed = from[i - 1] == to[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + changed});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[from.size()][to.size()];
}

} // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t longest = 64; // longer than any known name; bounds the work
  if (word.empty() || word.size() > longest)
    return {};
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>((word.size() + 1) / 3, 1) + 1;
  for (const std::string& each : known)
    if (const std::size_t cost = distance(word, each); cost < least && cost < word.size()) {
      least = cost;
      best = &each;
    }
  if (best != nullptr)
    return *best;
  const auto begins = [&](const std::string& each) { return each.starts_with(word); };
  const auto found = std::find_if(known.begin(), known.end(), begins);
  return found != known.end() && std::none_of(found + 1, known.end(), begins) ? *found : std::string();
}

} // namespace hostpin
