// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/repeated.hpp"
#include "wrapper/matrix/schedule.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;

namespace {

/// Cells that `broken_by` breaks, by index of the revision, in a history of which only both ends are known.
struct Broken {
  std::vector<BrokenCell> cells;
  std::vector<std::size_t> broken_by;
};

Broken broken_cells(std::size_t revisions, std::size_t commits, std::size_t cells, bool have_signs,
                    std::mt19937& random) {
  std::vector<std::size_t> breaking;
  for (std::size_t count = 0; count < commits; ++count)
    breaking.push_back(1 + random() % (revisions - 1));
  Broken broken;
  for (std::size_t count = 0; count < cells; ++count) {
    const std::size_t commit = breaking[count % commits];
    BrokenCell cell{std::vector<Known>(revisions, Known::unknown),
                    "sign " + std::to_string(have_signs ? commit : count)};
    cell.at.front() = Known::good;
    cell.at.back() = Known::bad;
    broken.cells.push_back(cell);
    broken.broken_by.push_back(commit);
  }
  return broken;
}

/// Answers all tests. How many there were.
std::size_t search(Broken& broken, std::size_t jobs) {
  std::size_t builds = 0;
  for (auto tests = next_tests(broken.cells, jobs); !tests.empty(); tests = next_tests(broken.cells, jobs)) {
    CHECK(tests.size() <= jobs);
    for (const Test& test : tests) {
      Known& known = broken.cells[test.cell].at[test.revision];
      CHECK(known == Known::unknown);
      known = test.revision < broken.broken_by[test.cell] ? Known::good : Known::bad;
      ++builds;
    }
  }
  return builds;
}

/// The builds of who knows the answer and proves it: each cell good before its commit, and bad at it.
std::size_t fewest(const Broken& broken) {
  std::size_t builds = 0;
  for (std::size_t cell = 0; cell < broken.cells.size(); ++cell) {
    builds += broken.broken_by[cell] > 1 ? 1U : 0U;
    builds += broken.broken_by[cell] + 1 < broken.cells[cell].at.size() ? 1U : 0U;
  }
  return builds;
}

} // namespace

TEST_CASE("50 cells that 5 commits broke take at most 1.3 times the builds of the best schedule") {
  for (unsigned seed = 0; seed < hostpin::test::repeated(200); ++seed)
    for (const std::size_t revisions : {17U, 40U, 65U}) {
      std::mt19937 random(seed);
      Broken broken = broken_cells(revisions, 5, 50, true, random);
      const std::size_t builds = search(broken, 1 + seed % 8);
      for (std::size_t cell = 0; cell < broken.cells.size(); ++cell)
        CHECK(interval_of(broken.cells[cell]) ==
              Interval{broken.broken_by[cell] - 1, broken.broken_by[cell]});
      CHECK_MESSAGE(builds * 10 <= fewest(broken) * 13, "seed ", seed, " of ", revisions, ": ", builds,
                    " builds, the best ", fewest(broken));
    }
}

TEST_CASE("cells without a common sign share what is known about the commits") {
  std::mt19937 random(1);
  Broken broken = broken_cells(129, 5, 50, false, random);
  CHECK(search(broken, 4) < 50 * 7 * 3 / 4);
}

TEST_CASE("a revision without an answer is left out, and the interval is what is known") {
  BrokenCell cell{std::vector<Known>(4, Known::unknown), "sign"};
  cell.at = {Known::good, Known::unknown, Known::unknown, Known::bad};
  const auto first = next_tests({cell}, 1);
  REQUIRE(first.size() == 1);
  cell.at[first[0].revision] = Known::lost;
  const auto second = next_tests({cell}, 1);
  REQUIRE(second.size() == 1);
  cell.at[second[0].revision] = Known::lost;
  CHECK(next_tests({cell}, 1).empty());
  CHECK(is_found(cell));
  CHECK(interval_of(cell) == Interval{0, 3});
}

TEST_CASE("a cell that broke, was repaired and broke again has broken at its oldest bad revision") {
  const BrokenCell cell{{Known::good, Known::bad, Known::good, Known::bad}, "sign"};
  CHECK(is_found(cell));
  CHECK(interval_of(cell) == Interval{0, 1});
}
