// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "toolchains/table/table.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

Table shipped() {
  const auto table = load_table(DiskFiles(), hostpin::test::shipped_data());
  if (!table)
    FAIL(table.error().message);
  return table.value_or(Table{});
}

} // namespace

TEST_CASE("the shipped table has the documented range of every release") {
  struct Row {
    Version toolkit;
    int gcc_min, gcc_max, clang_min, clang_max;
  };
  // The third part is what the last patch release's nvcc calls itself where a patch level matters.
  const Row rows[] = {
      {{10, 0, 130}, 5, 7, 6, 6},   {{10, 1, 105}, 5, 8, 6, 7},   {{10, 1, 168}, 5, 8, 6, 8},
      {{10, 1, 243}, 5, 8, 6, 8},   {{10, 2, 89}, 5, 8, 6, 8},    {{11, 0, 221}, 6, 9, 7, 9},
      {{11, 1, 105}, 6, 10, 7, 10}, {{11, 2, 152}, 6, 10, 7, 11}, {{11, 3, 122}, 6, 10, 7, 11},
      {{11, 4, 48}, 6, 10, 7, 11},  {{11, 4, 100}, 6, 11, 7, 12}, {{11, 4, 152}, 6, 11, 7, 12},
      {{11, 5, 119}, 6, 11, 7, 12}, {{11, 6, 124}, 6, 11, 7, 13}, {{11, 7, 99}, 6, 11, 7, 13},
      {{11, 8, 89}, 6, 11, 7, 14},  {{12, 0, 140}, 6, 12, 7, 14}, {{12, 1, 105}, 6, 12, 7, 15},
      {{12, 2, 91}, 6, 12, 7, 15},  {{12, 2, 128}, 6, 12, 7, 15}, {{12, 2, 140}, 6, 12, 7, 16},
      {{12, 3, 107}, 6, 12, 7, 16}, {{12, 4, 99}, 6, 13, 7, 17},  {{12, 4, 131}, 6, 13, 7, 17},
      {{12, 5, 82}, 6, 13, 7, 17},  {{12, 6, 85}, 6, 13, 7, 18},  {{12, 8, 93}, 6, 14, 7, 19},
      {{12, 9, 86}, 6, 14, 7, 19},  {{13, 0, 88}, 6, 15, 7, 20},  {{13, 1, 115}, 6, 15, 7, 21},
      {{13, 2, 78}, 6, 15, 7, 21},  {{13, 3, 73}, 6, 15, 7, 21},  {{13, 4, 92}, 6, 16, 7, 22},
      {{13, 5, 37}, 6, 16, 7, 22},
  };
  const Table table = shipped();
  for (const Row& row : rows) {
    CAPTURE(to_string(row.toolkit));
    const DocumentedRange* const found = table.documented(row.toolkit);
    REQUIRE(found != nullptr);
    CHECK(found->gcc_min == row.gcc_min);
    CHECK(found->gcc_max == row.gcc_max);
    CHECK(found->clang_min == row.clang_min);
    CHECK(found->clang_max == row.clang_max);
  }
  CHECK(table.documented({9, 2, 0}) == nullptr);
  CHECK(table.documented({13, 6, 0}) == nullptr);
}

TEST_CASE("every shipped row is sorted, sensible and has a source") {
  const Table table = shipped();
  for (std::size_t i = 0; i < table.ranges.size(); ++i) {
    const DocumentedRange& row = table.ranges[i];
    CAPTURE(to_string(row.since));
    CHECK((i == 0 || table.ranges[i - 1].since < row.since));
    CHECK(row.gcc_min <= row.gcc_max);
    CHECK(row.clang_min <= row.clang_max);
    CHECK_FALSE(row.source.empty());
    // NVIDIA has never withdrawn a newest compiler from one release to the next.
    CHECK((i == 0 || table.ranges[i - 1].gcc_max <= row.gcc_max));
    CHECK((i == 0 || table.ranges[i - 1].clang_max <= row.clang_max));
  }
  for (const Exception& row : table.exceptions) {
    CAPTURE(row.name);
    CHECK_FALSE(row.source.empty());
    CHECK(row.reason.size() <= 110);
    // A row without any bound would judge every pair there is.
    CHECK((row.toolkit_min || row.toolkit_max));
    CHECK((row.family || row.glibc_min || row.glibc_max || !row.library.empty()));
  }
}

TEST_CASE("nvcc reads NVCC_CCBIN from 12.5 on") {
  const Table table = shipped();
  CHECK_FALSE(table.has_feature("nvcc-ccbin-variable", {12, 4, 131}));
  CHECK(table.has_feature("nvcc-ccbin-variable", {12, 5, 40}));
  CHECK(table.has_feature("nvcc-ccbin-variable", {13, 0, 88}));
}
