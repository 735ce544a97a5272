// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/diagnostics.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("an error is read with its place, its way in, and whether it is an #error") {
  struct Row {
    const char* text;
    unsigned included_at;
    const char* file;
    unsigned line;
    bool directive;
  };
  const Row rows[] = {
      // GCC
      {"In file included from <stdin>:12:\n/c/crt/host_config.h:143:2: error: #error -- no\n", 12,
       "/c/crt/host_config.h", 143, true},
      {"In file included from <stdin>:12:0:\n/c/a.h:1:2: error: #error no\n", 12, "/c/a.h", 1, true},
      {"In file included from /c/a.h:9,\n                 from <stdin>:34:\n/c/b.h:1:2: error: #error no\n",
       34, "/c/b.h", 1, true},
      {"In file included from <stdin>:12:\n/c/a.h:7:10: fatal error: b.h: No such file\n", 12, "/c/a.h", 7,
       false},
      {"In file included from <stdin>:12:\n/c/a.h:7:10: error: missing binary operator\n", 12, "/c/a.h", 7,
       false},
      {"/c:3/a.h:7: error: #error x\n", 0, "/c:3/a.h", 7, true},
      {"<stdin>:5:2: error: #error x\n", 0, "<stdin>", 5, true},
      {"cc1plus: error: bad value\n", 0, "", 0, false},
      {"g++: fatal error: no input files\n", 0, "", 0, false},
      // Clang, with the source line before and since 16
      {"In file included from <stdin>:12:\n/c/a.h:157:2: error: -- no\n#error -- no\n ^\n", 12, "/c/a.h", 157,
       true},
      {"In file included from <stdin>:12:\n/c/a.h:157:2: error: -- no\n  157 | #error -- no\n      |  ^\n",
       12, "/c/a.h", 157, true},
      {"In file included from <stdin>:12:\nIn file included from /c/a.h:3:\n/c/b.h:1:3: error: no\n  1 | # "
       "error no\n",
       12, "/c/b.h", 1, true},
      {"In file included from <stdin>:12:\n/c/a.h:1:5: error: invalid token\n#if 1 @\n", 12, "/c/a.h", 1,
       false},
      {"In file included from <stdin>:12:\n/c/a.h:1:5: error: no\n", 12, "/c/a.h", 1, false},
      {"clang: error: unknown argument: '-x'\n", 0, "", 0, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto found = diagnostics(row.text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].included_at == row.included_at);
    CHECK(found[0].file == row.file);
    CHECK(found[0].line == row.line);
    CHECK(found[0].directive == row.directive);
  }
}

TEST_CASE("the way in holds until another is printed") {
  const auto found = diagnostics("In file included from <stdin>:12:\n"
                                 "/c/a.h:1:2: error: #error one\n"
                                 "/c/a.h:5:2: error: #error two\n"
                                 "In file included from <stdin>:24:\n"
                                 "/c/a.h:1:2: error: #error three\n");
  REQUIRE(found.size() == 3);
  CHECK(found[0].included_at == 12);
  CHECK(found[1].included_at == 12);
  CHECK(found[2].included_at == 24);
}

TEST_CASE("a source line that quotes an error is not a second error") {
  CHECK(diagnostics("/c/a.h:1:2: error: x: error: y\n#error x: error: y\n ^\n1 error generated.\n").size() ==
        1);
}

TEST_CASE("warnings, notes and chatter are passed over") {
  CHECK(diagnostics("").empty());
  CHECK(diagnostics(
            "/c/a.h:1:2: warning: #warning x\nIn file included from <stdin>:1:\n/c/a.h:1:2: note: error\n"
            "compilation terminated.\n2 errors generated.\n")
            .empty());
}

TEST_CASE("any bytes are read without harm") {
  std::mt19937 random(3);
  const std::string pieces[] = {
      "In file included from ", "<stdin>:",   "12",   ":",  "\n", ": error: ", "#error",        " | ",
      ": fatal error: ",        "/a/b.h:1:2", "\xff", "\r", " ",  "from ",     "99999999999999"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t i = 0, count = random() % 12; i < count; ++i)
      text += pieces[random() % std::size(pieces)];
    for (const Diagnostic& diagnostic : diagnostics(text))
      CHECK(text.find(diagnostic.text) != std::string::npos);
  }
}
