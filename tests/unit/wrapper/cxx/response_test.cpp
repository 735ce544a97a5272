// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/cxx/responses.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::vector<std::string> split(std::string text) {
  const auto views = split_response(text);
  return {views.begin(), views.end()};
}

std::vector<std::string> expand(const ResponseMap& files, const std::vector<std::string_view>& arguments) {
  const ExpandedArguments expanded = expand_responses(arguments, files);
  return {expanded.arguments.begin(), expanded.arguments.end()};
}

using Words = std::vector<std::string>;

} // namespace

TEST_CASE("a response file is split by GCC's quoting rules") {
  using namespace std::string_literals;
  CHECK(split("") == Words{});
  CHECK(split(" \t\r\n\v\f") == Words{});
  CHECK(split("-c a.cpp\n-o\ta.o\r\n") == Words{"-c", "a.cpp", "-o", "a.o"});
  CHECK(split("'a b' \"c d\" e' 'f") == Words{"a b", "c d", "e f"});
  CHECK(split("'' \"\"") == Words{"", ""});
  CHECK(split(R"(a\ b \"c\" "d\"e" 'f\'g' \\)") == Words{"a b", "\"c\"", "d\"e", "f'g", "\\"});
  CHECK(split("'it is \"quoted\"' \"it's\"") == Words{"it is \"quoted\"", "it's"});
  CHECK(split("'open") == Words{"open"});
  CHECK(split("end\\") == Words{"end"});
  CHECK(split("seen\0hidden"s) == Words{"seen"});
}

TEST_CASE("response files nest, and what they hold stands where they stood") {
  const ResponseMap files{{{"a", "-c @b -o"}, {"b", "x.cpp"}}};
  CHECK(expand(files, {"-O2", "@a", "x.o"}) == Words{"-O2", "-c", "x.cpp", "-o", "x.o"});
}

TEST_CASE("a response file that cannot be read stays an argument") {
  CHECK(expand(ResponseMap{{}}, {"@none", "@"}) == Words{"@none", "@"});
}

TEST_CASE("a response file that names itself ends after GCC's number of files") {
  const ResponseMap once{{{"a", "x @a"}}};
  CHECK(expand(once, {"@a"}).size() == 2001);
  const ResponseMap twice{{{"a", "@a @a"}}};
  CHECK(expand(twice, {"@a"}).back() == "@a");
}

TEST_CASE("a pipe is not read, since the compiler must find its content") {
  const DiskResponseFiles disk;
  CHECK(disk.read("/dev/null") == nullptr);
  CHECK(disk.read("/") == nullptr);
  CHECK(disk.read("/does/not/exist") == nullptr);
  REQUIRE(disk.read("/proc/self/cmdline") != nullptr); // regular, though stat says it is empty
}
