// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/cells.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;
using hostpin::matrix::test::sample_description;

namespace {

std::string same_decision(const Coordinates&) {
  return "same";
}

std::set<std::string> pairs_of(const std::vector<Cell>& cells) {
  std::set<std::string> pairs;
  for (const Cell& cell : cells)
    for (std::size_t one = 0; one < axis_count; ++one)
      for (std::size_t other = one + 1; other < axis_count; ++other)
        pairs.insert(std::to_string(one) + cell.at[one] + '|' + std::to_string(other) + cell.at[other]);
  return pairs;
}

} // namespace

TEST_CASE("all combinations are cells, with unique names, but those that are excluded") {
  Description description = sample_description(2, 3, 4, 2);
  CHECK(cells_of(description, Cover::all, same_decision).size() == 48);
  description.excluded.push_back({"p1", "", "g++-0", "", ""});
  const auto cells = cells_of(description, Cover::all, same_decision);
  CHECK(cells.size() == 48 - 6);
  std::set<std::string> names;
  for (const Cell& cell : cells)
    names.insert(cell.id);
  CHECK(names.size() == cells.size());
}

TEST_CASE("pairwise cells have every pair that any combination has, in few cells") {
  for (const bool excluded : {false, true}) {
    Description description = sample_description(3, 4, 6, 3);
    if (excluded)
      description.excluded.push_back({"", "12.0", "g++-5", "", ""});
    const auto all = cells_of(description, Cover::all, same_decision);
    const auto few = cells_of(description, Cover::pairs, same_decision);
    CHECK(pairs_of(few) == pairs_of(all));
    CHECK(few.size() >= (excluded ? 23U : 24U)); // the two longest axes
    CHECK(few.size() <= 36U);
  }
}

TEST_CASE("edges are the ends of an axis and where the decision changes") {
  Description description = sample_description(1, 1, 8, 0);
  const auto names = [&] {
    std::string text;
    for (const Cell& cell : cells_of(description, Cover::edges, [](const Coordinates& at) {
           return at[static_cast<std::size_t>(Axis::stdenv)] < "g++-4" ? "fits" : "too new";
         }))
      text += cell[Axis::stdenv] + ' ';
    return text;
  };
  CHECK(names() == "g++-0 g++-3 g++-4 g++-7 ");
  description.excluded = {{"", "", "g++-0", "", "", ""}, {"", "", "g++-4", "", "", ""}};
  CHECK(names() == "g++-3 g++-7 ");
}

TEST_CASE("a name that leaves something out of the values has a digest of them") {
  CHECK(id_of({"saxpy", "12.4", "g++-13", "", ""}) == "saxpy_12.4_g++-13");
  const std::string one = id_of({"saxpy", "/opt/cuda", "g++-13", "", ""});
  const std::string other = id_of({"saxpy", "/usr/cuda", "g++-13", "", ""});
  CHECK(one.starts_with("saxpy_cuda_g++-13_"));
  CHECK(one != other);
  CHECK(id_of({"a_b", "c", "", "", ""}) != id_of({"a", "b_c", "", "", ""}));
  CHECK(id_of({std::string(500, 'x'), "", "", "", ""}).size() < 120);
}
