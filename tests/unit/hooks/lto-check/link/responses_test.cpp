// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/words.hpp"
#include "tests/tree.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Tree;
using Strings = std::vector<std::string>;

namespace {

std::string at(const std::string& path) {
  return std::string("@").append(path);
}

} // namespace

TEST_CASE("a response file stands for its words, quotes and backslashes as compilers read them") {
  const Tree scratch;
  const std::string path = scratch.write("x.rsp", "a.o 'b c.o'\n\"d\\\"e.o\" f\\ g.o ''\t-L/x\n");
  const Strings words{"g++", at(path), "last.o"};
  CHECK(with_responses(words) == Strings{"g++", "a.o", "b c.o", "d\"e.o", "f g.o", "", "-L/x", "last.o"});
}

TEST_CASE("response files may name others, and themselves only so often") {
  const Tree scratch;
  const std::string inner = scratch.write("inner.rsp", "inner.o");
  const Strings nested{"g++", at(scratch.write("outer.rsp", "a.o " + at(inner) + " b.o"))};
  CHECK(with_responses(nested) == Strings{"g++", "a.o", "inner.o", "b.o"});
  const std::string path = scratch.path("loop.rsp");
  const Strings endless{"g++", at(scratch.write("loop.rsp", "a.o " + at(path)))};
  CHECK(with_responses(endless).size() < 5000);
}

TEST_CASE("what cannot be read stays as it stands") {
  const Tree scratch;
  const Strings words{"g++", at(scratch.path("missing")), "@", at(scratch.path(""))};
  CHECK(with_responses(words) == words);
}

TEST_CASE("a response file that cannot be read is told from the name of an input") {
  const Tree scratch;
  const auto message = [](const std::string& word) {
    const Strings words{"g++", word};
    const auto error = unread_response(with_responses(words));
    return error ? error->message : std::string();
  };
  const std::string pipe = scratch.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(message(at(pipe)).find("is no regular file") != std::string::npos);
  CHECK(message(at(scratch.write("outer.rsp", at(pipe)))).find("is no regular file") != std::string::npos);
  CHECK(message(at(scratch.path(""))).find("is no regular file") != std::string::npos);
  CHECK(message(at(scratch.path("missing"))).empty());
  CHECK(message("@").empty());
  CHECK(message("a@b").empty());
}
