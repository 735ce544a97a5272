// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/launchers.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::cmdline;
using Strings = std::vector<std::string>;

TEST_CASE("what env -S splits is put in its place") {
  const auto split = [](std::vector<std::string> command) {
    return with_split_words(std::move(command), Environment({{"CC", "g++ -x"}, {"DIR", "/d"}}));
  };
  CHECK(split({"env", "-S", "${CC} ${DIR}/a.o ${NONE}${"}) == Strings{"env", "g++ -x", "/d/a.o", "${"});
  const Strings plain{"env", "A=b", "g++", "-flto", "a.o"};
  CHECK(split({"env", "-S", "A=b g++ -flto", "a.o"}) == plain);
  CHECK(split({"env", "-SA=b g++ -flto", "a.o"}) == plain);
  CHECK(split({"env", "--split-string=A=b g++ -flto", "a.o"}) == plain);
  CHECK(split({"env", "--split-string", "A=b g++ -flto", "a.o"}) == plain);
  CHECK(split({"env", "-S", "-S 'A=b g++' -flto", "a.o"}) == Strings{"env", "A=b", "g++", "-flto", "a.o"});
  CHECK(split({"nice", "env", "-u", "X", "-ivS", "g++ 'a b.o'"}) ==
        Strings{"nice", "env", "-u", "X", "-iv", "g++", "a b.o"});
  CHECK(split({"g++", "-S", "a b.cpp"}) == Strings{"g++", "-S", "a b.cpp"});
  CHECK(split({"env", "g++", "-S", "a b.cpp"}) == Strings{"env", "g++", "-S", "a b.cpp"});
  CHECK(split({"env", "-S"}) == Strings{"env", "-S"});
  CHECK(split({"env", "-S", "'g++"}) == Strings{"env", "-S", "'g++"});
}

TEST_CASE("the words that name a driver") {
  CHECK(driver_words({"g++", "-flto", "a.o"}) == Strings{"g++"});
  CHECK(driver_words({"ccache", "/usr/bin/g++", "a.o"}) == Strings{"ccache", "/usr/bin/g++"});
  CHECK(driver_words({"env", "A=b", "g++", "a.o"}) == Strings{"env", "A=b", "g++"});
  CHECK(driver_words({"ccache"}) == Strings{"ccache"});
  CHECK(driver_words({"nice", "-n", "5", "g++", "a.o"}) == Strings{"nice", "-n", "5", "g++"});
  CHECK(driver_words({"nice", "-5", "/x/g++", "a.o"}) == Strings{"nice", "-5", "/x/g++"});
  CHECK(driver_words({"timeout", "-k", "3", "10", "ccache", "g++", "a.o"}) ==
        Strings{"timeout", "-k", "3", "10", "ccache", "g++"});
  CHECK(driver_words({"/usr/bin/env", "-u", "X", "-i", "A=b", "nice", "g++", "a.o"}) ==
        Strings{"/usr/bin/env", "-u", "X", "-i", "A=b", "nice", "g++"});
  CHECK(driver_words({"taskset", "-c", "0,1", "g++", "a.o"}) == Strings{"taskset", "-c", "0,1", "g++"});
  CHECK(driver_words({"nice", "-n"}) == Strings{"nice", "-n"});
  CHECK(driver_words({"prlimit", "--nofile=99", "g++", "a.o"}) == Strings{"prlimit", "--nofile=99", "g++"});
  CHECK(driver_words({"numactl", "-N", "0", "--membind=0", "g++", "a.o"}) ==
        Strings{"numactl", "-N", "0", "--membind=0", "g++"});
  CHECK(driver_words({"setarch", "x86_64", "-R", "g++", "a.o"}) == Strings{"setarch", "x86_64", "-R", "g++"});
  CHECK(driver_words({"setarch", "-R", "g++", "a.o"}) == Strings{"setarch", "-R", "g++"});
  // What a driver says of itself counts behind any program.
  CHECK(driver_words({"chpst", "-n", "5", "g++", "a.o"}, "g++") == Strings{"chpst", "-n", "5", "g++"});
  CHECK(driver_words({"nice", "g++", "a.o"}, "/usr/bin/g++") == Strings{"nice", "g++"});
}
