// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "wrapper/matrix/description.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;
using hostpin::test::FakeFiles;

namespace {

const std::string project = "[project.a]\nsource = \"src\"\nbuild = \"make\"\n";

hostpin::Result<Description> read(const std::string& text) {
  FakeFiles files;
  files.file("/d/matrix.toml", text);
  files.file("/d/src/x", "");
  return read_description(files, "/d/matrix.toml");
}

} // namespace

TEST_CASE("a description has its projects, axes and exclusions") {
  const auto one =
      read("name = \"n\"\n[axes]\ntoolkit = [\"12.4\", \"13.0\"]\ngpus = [\"8.0;9.0\"]\n" + project +
           "needs = [\"gpu:9.0\"]\ntime = 5\nenvironment = [\"CC\"]\n[[exclude]]\ntoolkit = \"13.0\"\n");
  REQUIRE(one);
  CHECK(one->name == "n");
  CHECK(one->values[static_cast<std::size_t>(Axis::toolkit)].size() == 2);
  CHECK(one->values[static_cast<std::size_t>(Axis::stdenv)] == std::vector<std::string>{""});
  CHECK(one->projects.front().source == "/d/src");
  CHECK(one->projects.front().time == std::chrono::minutes(5));
  CHECK(one->excluded.front()[static_cast<std::size_t>(Axis::toolkit)] == "13.0");
}

TEST_CASE("a time limit is a number of minutes, or seconds with their unit") {
  const auto seconds = [](const std::string& value) {
    return read(project + "time = " + value + "\n")->projects.front().time.count();
  };
  CHECK(seconds("2") == 120);
  CHECK(seconds("\"2s\"") == 2);
}

TEST_CASE("amounts of memory and disk have a unit") {
  const auto one = read(project + "memory = \"3G\"\ndisk = \"500M\"\n");
  REQUIRE(one);
  CHECK(one->projects.front().memory == std::uint64_t{3} << 30);
  CHECK(one->projects.front().disk == std::uint64_t{500} << 20);
}

TEST_CASE("what a description cannot mean is refused with its position") {
  const struct {
    std::string text, message;
  } cases[] = {
      {"", "project"},
      {project + "x = 1\n", "/d/matrix.toml:4:1: "},
      {project + "[axes]\ntoolkits = [\"1\"]\n", "/d/matrix.toml:5:1: there is no axis"},
      {project + "[axes]\nstdenv = []\n", "has no values"},
      {project + "[axes]\nstdenv = [\"a\", \"a\"]\n", "twice"},
      {project + "[axes]\nproject = [\"b\"]\n", "no project `b`"},
      {"[project.a]\nsource = \"none\"\nbuild = \"x\"\n", "/d/none is not a directory"},
      {"[project.a]\nsource = \"src\"\n", "runs nothing"},
      {project + "time = 0\n", "minutes"},
      {project + "time = \"5\"\n", "minutes"},
      {project + "lto = \"yes\"\n", "lto"},
      {project + "memory = \"4\"\n", "`4` is no amount of bytes"},
      {project + "disk = \"0G\"\n", "`0G` is no amount of bytes"},
      {project + "size_limit = \"10%\"\n", "install"},
      {project + "size_limit = \"x%\"\n", "percentage"},
      {project + "[axes]\nc_library = [\"sid\"]\n", "absolute path"},
      {project + "needs = [\"fpga\"]\n", "`fpga`"},
      {project + "[[exclude]]\n", "every cell"},
      {project + "[[exclude]]\nstdenv = \"g++\"\n", "no value `g++`"},
      {"[project.\"a/b\"]\nsource = \"src\"\nbuild = \"x\"\n", "is not a project"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.text);
    const auto one = read(each.text);
    REQUIRE_FALSE(one);
    CHECK(one.error().message.find(each.message) != std::string::npos);
  }
}
