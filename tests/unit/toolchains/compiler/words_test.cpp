// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/words.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

TEST_CASE("a command is split as the shell would, without expansion") {
  struct Row {
    const char* text;
    Strings words;
  };
  const Row rows[] = {{"g++", {"g++"}},
                      {"  ccache  g++\t-m64\n", {"ccache", "g++", "-m64"}},
                      {"'/opt/my gcc/bin/g++' -O2", {"/opt/my gcc/bin/g++", "-O2"}},
                      {"\"/opt/my gcc/g++\"", {"/opt/my gcc/g++"}},
                      {"/opt/my\\ gcc/g++", {"/opt/my gcc/g++"}},
                      {"g++ -DX='a b'c", {"g++", "-DX=a bc"}},
                      {"g++ ''", {"g++", ""}},
                      {R"(g++ "a\"b" "c\d" 'e\f')", {"g++", "a\"b", "c\\d", "e\\f"}},
                      {"g++ $HOME `id` *", {"g++", "$HOME", "`id`", "*"}},
                      {"g++\\", {"g++\\"}},
                      {"", {}},
                      {" \t ", {}}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(command_words(row.text) == row.words);
  }
}

TEST_CASE("a quote that is left open is an error") {
  for (const char* text : {"'", "g++ \"-DX", "g++ 'a\" b"}) {
    CAPTURE(text);
    CHECK_FALSE(command_words(text));
  }
}
