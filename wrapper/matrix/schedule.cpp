// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace hostpin::matrix {

namespace {

/// How many found cells broke at each revision.
using Counts = std::map<std::size_t, std::size_t>;

std::size_t sum(const Counts& counts) {
  std::size_t all = 0;
  for (const auto& [revision, count] : counts)
    all += count;
  return all;
}

/// How likely each revision broke a cell, without knowledge of this cell but its interval. Any revision, one
/// that broke others, and one that broke others in the same way weigh 1 : 1 : 8 as a whole.
double weight(std::size_t revision, std::size_t revisions, const Counts& same, const Counts& any) {
  constexpr double same_sign = 8;
  double weight = 1.0 / static_cast<double>(revisions);
  for (const auto& [counts, factor] : {std::pair{&same, same_sign}, {&any, 1.0}})
    if (const auto found = counts->find(revision); found != counts->end())
      weight += factor * static_cast<double>(found->second) / static_cast<double>(sum(*counts));
  return weight;
}

/// The unknown revision inside the interval which halves it best.
std::optional<std::size_t> halving(const BrokenCell& cell, const Counts& same, const Counts& any) {
  const auto [good, bad] = interval_of(cell);
  double all = 0;
  for (std::size_t revision = good + 1; revision <= bad; ++revision)
    all += weight(revision, cell.at.size(), same, any);
  std::optional<std::size_t> best;
  double until = 0, least = 0;
  for (std::size_t revision = good + 1; revision < bad; ++revision) {
    until += weight(revision, cell.at.size(), same, any);
    const double difference = std::abs(all - 2 * until);
    if (cell.at[revision] == Known::unknown && (!best || difference < least)) {
      best = revision;
      least = difference;
    }
  }
  return best;
}

} // namespace

Interval interval_of(const BrokenCell& cell) {
  const auto bad = static_cast<std::size_t>(std::ranges::find(cell.at, Known::bad) - cell.at.begin());
  std::size_t good = bad;
  while (good > 0 && cell.at[good] != Known::good)
    --good;
  return {good, bad};
}

bool is_found(const BrokenCell& cell) {
  const auto [good, bad] = interval_of(cell);
  return std::find(cell.at.begin() + static_cast<std::ptrdiff_t>(good),
                   cell.at.begin() + static_cast<std::ptrdiff_t>(bad),
                   Known::unknown) == cell.at.begin() + static_cast<std::ptrdiff_t>(bad);
}

std::vector<Test> next_tests(const std::vector<BrokenCell>& cells, std::size_t most) {
  std::map<std::string, Counts> by_sign;
  Counts any;
  std::map<std::string, std::size_t> left; // cells that are not found
  for (const BrokenCell& cell : cells)
    if (is_found(cell)) {
      ++by_sign[cell.sign][interval_of(cell).second];
      ++any[interval_of(cell).second];
    } else {
      ++left[cell.sign];
    }
  // those that tell most about others first
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t index = 0; index < cells.size(); ++index)
    if (!is_found(cells[index]))
      order.emplace_back(by_sign.contains(cells[index].sign) ? 0 : left[cells[index].sign], index);
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& each) { return each.first; });
  std::vector<Test> tests;
  std::set<std::string> led;
  for (const auto& [others, index] : order) {
    if (tests.size() == most)
      break;
    const BrokenCell& cell = cells[index];
    if (others > 0 && !led.insert(cell.sign).second)
      continue;
    if (const auto revision = halving(cell, by_sign[cell.sign], any))
      tests.push_back({index, *revision});
  }
  return tests;
}

} // namespace hostpin::matrix
