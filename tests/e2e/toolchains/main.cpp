// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/e2e/toolchains/lab.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <doctest/doctest.h>

int main(int argc, char** argv) {
  std::string missing;
  if (!hostpin::find_lab(missing)) {
    const char* const required = std::getenv("HOSTPIN_LAB_REQUIRED");
    const bool fails = required != nullptr && std::string_view(required) == "1";
    std::cout << (fails ? "FAIL: " : "skipped: ") << missing << " (./bootstrap lab provides it)\n";
    return fails ? 1 : 77; // CTest knows 77 as skipped
  }
  return doctest::Context(argc, argv).run();
}
