// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/path_text.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

TEST_CASE("slashes are escaped, and nothing else") {
  CHECK(escaped("/opt/gcc 11") == R"(\/opt\/gcc 11)");
  CHECK(unescaped(R"(\/opt\/gcc\n\)") == R"(/opt/gcc\n\)");
  CHECK(escaped_length(R"(a\/b\)", 2) == 3);
  CHECK(escaped_length("a", 2) == 1);
}
