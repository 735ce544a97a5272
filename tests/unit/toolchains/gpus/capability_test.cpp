// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/capability.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::gpus;

TEST_CASE("a compute capability is read and written back") {
  for (const char* const text : {"3.0", "8.6", "9.0a", "10.0f", "12.1", "99.9"}) {
    CAPTURE(text);
    const auto capability = capability_named(text);
    REQUIRE(capability);
    CHECK(to_string(*capability) == text);
  }
  CHECK(digits(*capability_named("10.0f")) == "100f");
  CHECK(baseline(*capability_named("9.0a")) == *capability_named("9.0"));
}

TEST_CASE("what is not quite a compute capability is none") {
  for (const char* const text : {"",      "a",
                                 "9",     "9.",
                                 ".9",    "0.5",
                                 "09.0",  "9.0.0",
                                 "9.00",  "100.0",
                                 "9.0b",  "9.0aa",
                                 "9.0A",  "-9.0",
                                 "9.-1",  " 9.0",
                                 "9.0 ",  "+9.0",
                                 "sm_90", "90a",
                                 "9,0",   "\xD9\xA9.\xD9\xA0"}) {
    CAPTURE(text);
    CHECK_FALSE(capability_named(text));
  }
}

TEST_CASE("capabilities are ordered by number, variants after their baseline") {
  CHECK(*capability_named("9.0") < *capability_named("10.0"));
  CHECK(*capability_named("9.0") < *capability_named("9.0a"));
  CHECK(*capability_named("9.0a") < *capability_named("10.0"));
}
