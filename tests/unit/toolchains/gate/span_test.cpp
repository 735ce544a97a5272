// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/span.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

using Minors = std::vector<int>;

std::string gcc(Bounds bounds, const std::vector<std::pair<int, Minors>>& refused) {
  Gate gate{bounds, {}, {{Family::clang, 7, {}, "of the other family", ""}}};
  for (const auto& [major, minors] : refused)
    gate.refusals.push_back({Family::gcc, major, minors, "x:1", ""});
  return span(gate, Family::gcc);
}

constexpr auto open = std::nullopt;

} // namespace

TEST_CASE("bounds are printed concisely") {
  CHECK(span(Bounds{6, 13}) == "6-13");
  CHECK(span(Bounds{open, 13}) == "up to 13");
  CHECK(span(Bounds{6, open}) == "from 6");
  CHECK(span(Bounds{}) == "any");
  CHECK(span(Bounds{open, 0}) == "none");
}

TEST_CASE("minors at an end are the bound, and all other holes are named") {
  CHECK(gcc({open, 13}, {{14, {}}, {99, {}}}) == "up to 13");
  CHECK(gcc({3, 17}, {{2, {}}, {3, {0, 1, 2}}, {18, {}}}) == "3.3-17");
  CHECK(gcc({open, 13}, {{13, {4, 5, 6, 7, 8, 9}}, {14, {}}}) == "up to 13.3");
  CHECK(gcc({open, 13}, {{13, {4}}, {14, {}}}) == "up to 13 but not 13.4");
  CHECK(gcc({open, 13}, {{13, {0, 1}}, {14, {}}}) == "up to 13 but not 13.0-1");
  CHECK(gcc({5, 13}, {{5, {9}}, {14, {}}}) == "5-13 but not 5.9");
  CHECK(gcc({}, {{12, {}}, {13, {1, 2, 4}}}) == "any but not 12, 13.1-2, 13.4");
}

TEST_CASE("a hole is between the bounds and belongs to one family") {
  const Gate gate{{open, 13},
                  {5, open},
                  {{Family::gcc, 12, {}, "", ""},
                   {Family::gcc, 14, {}, "", ""},
                   {Family::clang, 4, {}, "", ""},
                   {Family::clang, 7, {}, "", ""}}};
  REQUIRE(holes(gate, Family::gcc).size() == 1);
  CHECK(holes(gate, Family::gcc)[0].major == 12);
  REQUIRE(holes(gate, Family::clang).size() == 1);
  CHECK(holes(gate, Family::clang)[0].major == 7);
}
