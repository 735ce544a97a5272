// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/invocation.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;
using Words = std::vector<std::string>;

TEST_CASE("only what decides how a source is compiled is kept") {
  struct Row {
    Words words;
    std::string driver;
    Words flags;
    Words sources;
  };
  const std::vector<Row> rows{
      {{"g++", "-O2", "-c", "a.cpp", "-o", "a.o"}, "g++", {"-O2"}, {"a.cpp"}},
      {{"/usr/bin/ccache", "g++", "a.cpp"}, "g++", {}, {"a.cpp"}},
      {{"env", "LANG=C", "nice", "-n", "10", "ccache", "clang++-19", "-oa.o", "a.cpp"},
       "clang++-19",
       {},
       {"a.cpp"}},
      {{"g++", "-MD", "-MT", "x.o", "-MF", "x.d", "-MQx", "-Wp,-MMD,y.d", "-D", "A", "-DB"},
       "g++",
       {"-D", "A", "-DB"},
       {}},
      {{"g++", "-include", "all.hpp", "-isystem", "/inc", "-I", "-odd"},
       "g++",
       {"-include", "all.hpp", "-isystem", "/inc", "-I", "-odd"},
       {}},
      {{"g++", "-flto=auto", "-fno-fat-lto-objects", "-gsplit-dwarf", "-ffile-prefix-map=/a=b", "-g",
        "-save-temps=obj"},
       "g++",
       {"-fno-fat-lto-objects", "-g"},
       {}},
      {{"g++", "a.cpp", "-lm", "-l", "z", "-Wl,-O1", "-L/lib", "-o", "program"},
       "g++",
       {"-L/lib"},
       {"a.cpp"}},
      {{"g++", "-undef", "-o"}, "g++", {"-undef"}, {}},
      {{"g++", "-x", "c++", "-", "-xc++"}, "g++", {"-x", "c++", "-xc++"}, {"-"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const auto call = invocation(row.words);
    REQUIRE(call);
    CHECK(call->driver == row.driver);
    CHECK(call->flags == row.flags);
    CHECK(call->sources == row.sources);
  }
}

TEST_CASE("a command without a compiler, of nvcc or of modules is refused with what to do") {
  for (const Words& words : std::vector<Words>{{},
                                               {""},
                                               {"-O2", "a.cpp"},
                                               {"ccache"},
                                               {"env", "A=b"},
                                               {"/usr/local/cuda/bin/nvcc", "a.cu"},
                                               {"g++", "-fmodules-ts", "a.cpp"},
                                               {"g++", "-fmodule-mapper=a.map"}}) {
    CAPTURE(words);
    const auto call = invocation(words);
    REQUIRE(!call);
    CHECK(!call.error().hint.empty());
  }
}

TEST_CASE("the object is the only output") {
  const auto call = invocation(Words{"g++", "-O2", "-c", "a.cpp", "-o", "theirs.o", "-MMD"});
  REQUIRE(call);
  const Words words = object_command(*call, Family::gcc, "/src/a.cpp", "/private/object.o");
  CHECK(words == Words{"env", "CCACHE_DISABLE=1", "g++", "-O2", "-g1", "-w", "-c", "/src/a.cpp", "-o",
                       "/private/object.o"});
}

TEST_CASE("a debug format of Clang's tells inlined functions by their whole names") {
  const Words words = object_command({"clang++", {}, {}}, Family::clang, "/a.cpp", "/o.o");
  CHECK(std::find(words.begin(), words.end(), "-g2") != words.end());
}

TEST_CASE("a source is C by -x, or by its name where the driver is one of C") {
  struct Row {
    Words words;
    const char* source;
    bool c;
  };
  for (const Row& row : std::vector<Row>{{{"gcc"}, "a.c", true},
                                         {{"/usr/bin/clang-19"}, "a.c", true},
                                         {{"g++-12"}, "a.c", false},
                                         {{"gcc"}, "a.cpp", false},
                                         {{"gcc", "-x", "c++"}, "a.c", false},
                                         {{"g++", "-xc"}, "a.cpp", true},
                                         {{"g++", "-x", "c", "-x", "none"}, "a.cpp", false},
                                         {{"gcc", "-x"}, "a.c", true}}) {
    CAPTURE(row.words);
    CHECK(is_c(invocation(row.words).value(), row.source) == row.c);
  }
}
