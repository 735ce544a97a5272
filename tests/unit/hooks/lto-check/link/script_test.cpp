// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/script.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

TEST_CASE("a script asks for what EXTERN names and what assignments stand for") {
  CHECK(script_symbols("EXTERN(one two) EXTERN ( three )").wanted == Strings{"one", "two", "three"});
  CHECK_FALSE(script_symbols("EXTERN(one)").doubtful);
  CHECK(script_symbols("a = b;").wanted == Strings{"b"});
  CHECK(script_symbols("a = b + 0x10 - . + c_1; d += e;").wanted == Strings{"b", "c_1", "e"});
  CHECK(script_symbols("/* a = b; */ a /* = x */ = 4 /* y */;").wanted.empty());
  CHECK(script_symbols("a = b;").doubtful);
}

TEST_CASE("words that linkers take in different ways make the rest of the answer doubtful") {
  for (const char* text : {"PROVIDE(a = b);", "PROVIDE_HIDDEN(a = b);", "HIDDEN(a = b);", "ENTRY(b)",
                           "ASSERT(b, \"x\")", "a = DEFINED(b) ? b : 0;", "SECTIONS { .x : { a = b; } }"}) {
    CAPTURE(text);
    CHECK(script_symbols(text).doubtful);
    CHECK(script_symbols(text).wanted.empty());
  }
  CHECK_FALSE(
      script_symbols("OUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /lib/libc.so.6 AS_NEEDED ( x.so ) )").doubtful);
  for (const char* text : {"", "=", ";", "a =", "/*", "a = /*", "=;=;"})
    CHECK(script_symbols(text).wanted.empty());
}
