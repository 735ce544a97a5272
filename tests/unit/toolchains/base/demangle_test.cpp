// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/demangle.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a symbol is shown as in the source code, any other name as it is") {
  CHECK(demangled("_Z5scalePfi") == "scale(float*, int)");
  CHECK(demangled("cudaMalloc") == "cudaMalloc");
  CHECK(demangled("_Z") == "_Z");
  CHECK(demangled("f") == "f"); // __cxa_demangle: float
  CHECK(demangled("St6vectorIiE") == "St6vectorIiE");
  CHECK(demangled("").empty());
}

TEST_CASE("names with _Float128 are demangled by every libstdc++") {
  CHECK(demangled("_ZSt8to_charsPcS_DF128_") == "std::to_chars(char*, char*, _Float128)");
  CHECK(demangled("_Z1fi") == "f(int)");
  CHECK(demangled("memcpy") == "memcpy");
}
