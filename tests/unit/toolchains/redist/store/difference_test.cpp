// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/redist/store/difference.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

TEST_CASE("two files differ from a byte on, or where one ends") {
  const test::Tree tree;
  std::string bytes(2'500'000, 'a');
  const std::string one = tree.write("one", bytes);
  CHECK_FALSE(first_difference(one, one));
  CHECK(first_difference(one, tree.write("short", bytes.substr(0, 2'000'000))) == 2'000'000);
  CHECK(first_difference(tree.write("empty", ""), one) == 0);
  bytes[2'400'000] = 'b';
  CHECK(first_difference(one, tree.write("other", bytes)) == 2'400'000);
  CHECK_FALSE(first_difference(one, tree.path("absent")));
}
