// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/compiler/words.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

TEST_CASE("a path with blanks needs no quotes where it is a file") {
  test::FakeFiles files;
  files.program("/sp c/g++").program("/opt/ccache").program("/opt/g++ 13/g++");
  struct Row {
    const char* text;
    Strings words;
  };
  const Row rows[] = {{"/sp c/g++", {"/sp c/g++"}},
                      {"/sp c/g++ -O2 '-DX=a b'", {"/sp c/g++", "-O2", "-DX=a b"}},
                      {"'/sp c/g++' -O2", {"/sp c/g++", "-O2"}},
                      {"/opt/ccache /sp c/g++", {"/opt/ccache", "/sp", "c/g++"}},
                      {"/opt/g++ 13/g++", {"/opt/g++ 13/g++"}},
                      {"/sp c/clang++", {"/sp", "c/clang++"}},
                      {"g++ -m64", {"g++", "-m64"}},
                      {"", {}}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(driver_words(files, row.text) == row.words);
  }
}
