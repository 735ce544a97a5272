// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/cmdline/responses.hpp"

#include <array>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::cmdline;
using hostpin::test::Tree;
using Pipes = ArgumentFiles::Pipes;

namespace {

std::vector<std::string> expand(const ResponseMap& files, const std::vector<std::string_view>& arguments) {
  const ExpandedArguments expanded = expand_responses(arguments, files);
  return {expanded.arguments.begin(), expanded.arguments.end()};
}

using Words = std::vector<std::string>;

std::string at(const std::string& path) {
  return std::string("@").append(path);
}

} // namespace

TEST_CASE("response files nest, and what they hold stands where they stood") {
  const ResponseMap files{{{"a", {"-c @b -o"}}, {"b", {"x.cpp"}}}};
  CHECK(expand(files, {"-O2", "@a", "x.o"}) == Words{"-O2", "-c", "x.cpp", "-o", "x.o"});
}

TEST_CASE("a response file that cannot be read stays an argument") {
  CHECK(expand(ResponseMap(), {"@none", "@"}) == Words{"@none", "@"});
}

TEST_CASE("a response file that names itself ends after GCC's number of files") {
  const ResponseMap once{{{"a", {"x @a"}}}};
  CHECK(expand(once, {"@a"}).size() == 2001);
  const ResponseMap twice{{{"a", {"@a @a"}}}};
  CHECK(expand(twice, {"@a"}).back() == "@a");
}

TEST_CASE("a pipe is left to the compiler unless it is to be read") {
  const DiskArgumentFiles disk;
  for (const char* const path : {"/dev/null", "/", "/does/not/exist"})
    CHECK(!disk.read(path, Pipes::leave));
  CHECK(disk.read("/proc/self/cmdline", Pipes::leave)); // regular, though stat says it is empty
}

TEST_CASE("a regular options file is read whole and can be read again") {
  const Tree tree;
  std::ofstream(tree.path("f")) << std::string(20000, 'x');
  const auto text = DiskArgumentFiles().read(tree.path("f"), Pipes::read);
  REQUIRE(text);
  CHECK(text->text.size() == 20000);
  CHECK(!text->gone);
}

TEST_CASE("a directory reads as an empty options file") {
  const Tree tree;
  const auto text = DiskArgumentFiles().read(tree.root(), Pipes::read);
  REQUIRE(text);
  CHECK(text->text.empty());
}

TEST_CASE("a pipe is read and is then gone") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(::write(ends[1], "-c", 2) == 2);
  ::close(ends[1]);
  const auto text = DiskArgumentFiles().read("/dev/fd/" + std::to_string(ends[0]), Pipes::read);
  ::close(ends[0]);
  REQUIRE(text);
  CHECK(text->text == "-c");
  CHECK(text->gone);
}

TEST_CASE("an options file that is missing or endless is no options file") {
  const Tree tree;
  CHECK(!DiskArgumentFiles().read(tree.path("missing"), Pipes::read));
  CHECK(!DiskArgumentFiles().read("/dev/zero", Pipes::read));
}

TEST_CASE("a response file stands for its words, quotes and backslashes as compilers read them") {
  const Tree scratch;
  const std::string path = scratch.write("x.rsp", "a.o 'b c.o'\n\"d\\\"e.o\" f\\ g.o ''\t-L/x\n");
  const Words words{"g++", at(path), "last.o"};
  CHECK(with_responses(words, DiskFiles()) ==
        Words{"g++", "a.o", "b c.o", "d\"e.o", "f g.o", "", "-L/x", "last.o"});
}

TEST_CASE("response files on disk may name others, and themselves only so often") {
  const Tree scratch;
  const std::string inner = scratch.write("inner.rsp", "inner.o");
  const Words nested{"g++", at(scratch.write("outer.rsp", "a.o " + at(inner) + " b.o"))};
  CHECK(with_responses(nested, DiskFiles()) == Words{"g++", "a.o", "inner.o", "b.o"});
  const std::string path = scratch.path("loop.rsp");
  const Words endless{"g++", at(scratch.write("loop.rsp", "a.o " + at(path)))};
  CHECK(with_responses(endless, DiskFiles()).size() < 5000);
}

TEST_CASE("what cannot be read stays as it stands") {
  const Tree scratch;
  const Words words{"g++", at(scratch.path("missing")), "@", at(scratch.path(""))};
  CHECK(with_responses(words, DiskFiles()) == words);
}

TEST_CASE("a response file that cannot be read is told from the name of an input") {
  const Tree scratch;
  const auto message = [](const std::string& word) {
    const Words words{"g++", word};
    const auto error = unread_response(with_responses(words, DiskFiles()), DiskFiles());
    return error ? error->message : std::string();
  };
  const std::string pipe = scratch.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(message(at(pipe)).find("is not a regular file") != std::string::npos);
  CHECK(message(at(scratch.write("outer.rsp", at(pipe)))).find("is not a regular file") != std::string::npos);
  CHECK(message(at(scratch.path(""))).find("is not a regular file") != std::string::npos);
  CHECK(message(at(scratch.path("missing"))).empty());
  CHECK(message("@").empty());
  CHECK(message("a@b").empty());
}
