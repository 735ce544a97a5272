// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/environment.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("an environment is read from envp, splitting at the first equals sign") {
  const char* const envp[] = {"PATH=/usr/bin:/bin", "EMPTY=", "FLAGS=-DX=1", "no equals sign", nullptr};
  const Environment environment = Environment::from(envp);
  CHECK(environment["PATH"] == "/usr/bin:/bin");
  CHECK(environment["FLAGS"] == "-DX=1");
  CHECK_FALSE(environment["UNSET"].has_value());
}

TEST_CASE("an empty variable counts as unset") {
  const char* const envp[] = {"CXX=", nullptr};
  CHECK_FALSE(Environment::from(envp)["CXX"].has_value());
}
