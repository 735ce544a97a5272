// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/cells.hpp"

#include "toolchains/archive/sha256.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace hostpin::matrix {

namespace {

using Indices = std::array<std::size_t, axis_count>;

Coordinates at_indices(const Description& description, const Indices& indices) {
  Coordinates at;
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    at[axis] = description.values[axis][indices[axis]];
  return at;
}

bool is_excluded(const Description& description, const Coordinates& at) {
  return std::ranges::any_of(description.excluded, [&](const Coordinates& row) {
    for (std::size_t axis = 0; axis < axis_count; ++axis)
      if (!row[axis].empty() && row[axis] != at[axis])
        return false;
    return true;
  });
}

/// All combinations that are not excluded, in order.
std::vector<Indices> combinations(const Description& description) {
  std::vector<Indices> all;
  Indices indices{};
  for (;;) {
    if (!is_excluded(description, at_indices(description, indices)))
      all.push_back(indices);
    std::size_t axis = axis_count;
    while (axis > 0 && ++indices[axis - 1] == description.values[axis - 1].size())
      indices[--axis] = 0;
    if (axis == 0)
      return all;
  }
}

/// The pairs of values in a combination, as numbers.
std::vector<std::uint64_t> pairs_in(const Indices& indices) {
  constexpr unsigned axis_bits = 4, index_bits = 24;
  std::vector<std::uint64_t> pairs;
  for (std::size_t one = 0; one < axis_count; ++one)
    for (std::size_t other = one + 1; other < axis_count; ++other)
      pairs.push_back((((one << axis_bits | other) << index_bits | indices[one]) << index_bits) |
                      indices[other]);
  return pairs;
}

/// A greedy cover: the first combination with the most pairs that are not covered yet, until all are.
/// Combinations wait in a queue by the number of new pairs that they had when they were last counted, which
/// only falls.
std::vector<Indices> pairwise(const std::vector<Indices>& all) {
  std::set<std::uint64_t> covered;
  const auto count_new = [&](const Indices& indices) {
    const auto pairs = pairs_in(indices);
    return static_cast<std::size_t>(
        std::ranges::count_if(pairs, [&](std::uint64_t pair) { return !covered.contains(pair); }));
  };
  std::map<std::size_t, std::set<std::size_t>, std::greater<>>
      waiting; // number of new pairs, indices in `all`
  for (std::size_t index = 0; index < all.size(); ++index)
    waiting[count_new(all[index])].insert(index);
  std::vector<Indices> chosen;
  while (!waiting.empty() && waiting.begin()->first > 0) {
    const std::size_t counted = waiting.begin()->first;
    const std::size_t index = *waiting.begin()->second.begin();
    waiting.begin()->second.erase(waiting.begin()->second.begin());
    if (waiting.begin()->second.empty())
      waiting.erase(waiting.begin());
    const std::size_t now = count_new(all[index]);
    if (now < counted) {
      waiting[now].insert(index);
      continue;
    }
    chosen.push_back(all[index]);
    for (const std::uint64_t pair : pairs_in(all[index]))
      covered.insert(pair);
  }
  std::ranges::sort(chosen);
  return chosen;
}

/// Combinations where each axis has its first or last value, or the decision differs from that of the next or
/// previous value of that axis, whether those are excluded or not.
std::vector<Indices> edges(const Description& description, const std::vector<Indices>& all,
                           const Decision& decision) {
  std::map<Indices, std::string> decisions;
  const auto decided = [&](const Indices& indices) -> const std::string& {
    const auto [known, is_new] = decisions.try_emplace(indices);
    if (is_new)
      known->second = decision(at_indices(description, indices));
    return known->second;
  };
  const auto is_edge = [&](const Indices& indices, std::size_t axis) {
    if (indices[axis] == 0 || indices[axis] + 1 == description.values[axis].size())
      return true;
    Indices before = indices, after = indices;
    --before[axis];
    ++after[axis];
    return decided(before) != decided(indices) || decided(after) != decided(indices);
  };
  std::vector<Indices> chosen;
  for (const Indices& indices : all) {
    bool taken = true;
    for (std::size_t axis = 0; axis < axis_count && taken; ++axis)
      // each project is another program: there is none between two others
      taken = axis == static_cast<std::size_t>(Axis::project) || is_edge(indices, axis);
    if (taken)
      chosen.push_back(indices);
  }
  return chosen;
}

} // namespace

std::string id_of(const Coordinates& at) {
  constexpr std::size_t longest = 100, digits = 8;
  std::string id, whole;
  bool is_exact = true;
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    whole += at[axis] + '\0';
    if (at[axis].empty())
      continue;
    // the name of a program or directory says more than where it is
    const std::string& value = at[axis];
    const std::size_t slash = value.find_last_of('/');
    if (slash != std::string::npos)
      is_exact = false;
    if (!id.empty())
      id += '_';
    for (const char character : value.substr(slash == std::string::npos ? 0 : slash + 1)) {
      const bool fits = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
                        (character >= '0' && character <= '9') || character == '.' || character == '+' ||
                        character == '-';
      is_exact = is_exact && fits;
      id += fits ? character : '-';
    }
  }
  if (is_exact && id.size() <= longest)
    return id;
  return id.substr(0, longest) + '_' + sha256_of(whole).substr(0, digits);
}

std::vector<Cell> cells_of(const Description& description, Cover cover, const Decision& decision) {
  std::vector<Indices> chosen = combinations(description);
  if (cover == Cover::pairs)
    chosen = pairwise(chosen);
  else if (cover == Cover::edges)
    chosen = edges(description, chosen, decision);
  std::vector<Cell> cells;
  cells.reserve(chosen.size());
  for (const Indices& indices : chosen) {
    Coordinates at = at_indices(description, indices);
    cells.push_back({id_of(at), std::move(at)});
  }
  return cells;
}

} // namespace hostpin::matrix
