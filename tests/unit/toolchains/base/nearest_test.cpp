// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/nearest.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a misspelt word means the nearest one, another word none") {
  const std::vector<std::string> known = {"bind", "capabilities", "doctor", "env", "explain", "--toolkit"};
  struct Row {
    const char* word;
    const char* meant;
  };
  const Row rows[] = {{"docter", "doctor"},
                      {"bnid", "bind"},
                      {"exlpain", "explain"},
                      {"capa", "capabilities"},
                      {"--toolkt", "--toolkit"},
                      {"e", ""},
                      {"build", "bind"},
                      {"frobnicate", ""},
                      {"", ""},
                      {"envv", "env"},
                      {"xyz", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.word);
    CHECK(nearest(row.word, known) == row.meant);
  }
}
