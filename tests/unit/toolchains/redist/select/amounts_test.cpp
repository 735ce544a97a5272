// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/amounts.hpp"

#include <limits>

#include <doctest/doctest.h>

using hostpin::redist::amount;

TEST_CASE("amounts of bytes are rounded to a tenth of a decimal unit") {
  CHECK(amount(0) == "0 bytes");
  CHECK(amount(1) == "1 byte");
  CHECK(amount(999) == "999 bytes");
  CHECK(amount(1'000) == "1.0 kB");
  CHECK(amount(1'049) == "1.0 kB");
  CHECK(amount(1'050) == "1.1 kB");
  CHECK(amount(3'300'000'000) == "3.3 GB");
  CHECK(amount(std::numeric_limits<std::uint64_t>::max()) == "18446744073.7 GB");
}
