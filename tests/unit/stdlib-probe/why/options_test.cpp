// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/options.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;
using Words = std::vector<std::string>;
using Arguments = std::vector<const char*>;

TEST_CASE("sources stand before the compile command") {
  const auto options = why_options(Arguments{"a.cpp", "--max", "GLIBCXX_3.4.30", "--max=CXXABI_1.3.13",
                                             "--json", "b.cpp", "--", "g++", "--json", "-p"});
  REQUIRE(options);
  CHECK(options->sources == Words{"a.cpp", "b.cpp"});
  CHECK(options->max == Words{"GLIBCXX_3.4.30", "CXXABI_1.3.13"});
  CHECK(options->command == Words{"g++", "--json", "-p"});
  CHECK(options->json);
  CHECK(options->database.empty());
}

TEST_CASE("a database needs no source") {
  const auto options = why_options(Arguments{"-p", "build", "--against=lib.so", "--chain"});
  REQUIRE(options);
  CHECK(options->database == "build");
  CHECK(options->against == "lib.so");
  CHECK(options->chain);
}

TEST_CASE("what leaves open what to check, or contradicts itself, is refused") {
  for (const Arguments& words :
       std::vector<Arguments>{{},
                              {"a.cpp"},
                              {"a.cpp", "--"},
                              {"-p"},
                              {"-p", "--", "g++"},
                              {"-p", "build", "--", "g++"},
                              {"--max"},
                              {"--max=", "a.cpp", "--", "g++"},
                              {"--against", "l", "--max", "GLIBCXX_3.4", "a.cpp", "--", "g++"},
                              {"--unknown", "a.cpp", "--", "g++"}}) {
    CAPTURE(words.size());
    const auto options = why_options(words);
    REQUIRE(!options);
    CHECK(!options.error().hint.empty());
  }
  CHECK(why_options(Arguments{"--help"})->help.starts_with("usage: hostpin stdlib-probe why "));
}
