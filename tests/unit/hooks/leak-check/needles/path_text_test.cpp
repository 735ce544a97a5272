// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/path_text.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

TEST_CASE("what is joined again is the same") {
  for (const char* text : {"", ":", "a", ":a::b:", "a b"})
    CHECK(joined(split(text, ":"), ':') == text);
  CHECK(joined({}, ':').empty());
}

TEST_CASE("blanks are removed from both ends only") {
  CHECK(trimmed(" \t a b\r ") == "a b");
  CHECK(trimmed(" \t").empty());
  CHECK(trimmed("").empty());
}
