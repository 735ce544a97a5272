// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::matrix {

/// What is known about a cell at a revision.
enum class Known {
  unknown,
  good,
  bad,
  lost, ///< it was run, and there is no answer
};

/// A cell that is good at the first revision and bad at the last one.
struct BrokenCell {
  std::vector<Known> at; ///< by revision, oldest first
  /// What cells that one change broke have in common: the cause at the oldest bad revision.
  std::string sign;
};

/// Two revisions between which a cell broke: the newest good one before the oldest bad one, and that.
using Interval = std::pair<std::size_t, std::size_t>;

Interval interval_of(const BrokenCell& cell);
/// Whether nothing is left to run: the revisions are next to each other, or those between them are lost.
bool is_found(const BrokenCell& cell);

/// A cell to run at a revision, both as indices.
struct Test {
  std::size_t cell = 0, revision = 0;

  bool operator==(const Test&) const = default;
};

/// What to run next, `most` tests that do not depend on each other's answers; empty: all cells are found.
/// Each halves a cell's interval by weight: where cells with the same sign broke weighs most, then where
/// others did. While no cell of a sign is found, only one of them is tested.
std::vector<Test> next_tests(const std::vector<BrokenCell>& cells, std::size_t most);

} // namespace hostpin::matrix
