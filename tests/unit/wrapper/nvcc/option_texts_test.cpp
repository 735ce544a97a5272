// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "wrapper/nvcc/option_file.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin::nvcc;
using hostpin::test::Tree;

TEST_CASE("a regular options file is read whole and can be read again") {
  const Tree tree;
  std::ofstream(tree.path("f")) << std::string(20000, 'x');
  const auto text = DiskOptionTexts().read(tree.path("f"));
  REQUIRE(text);
  CHECK(text->text.size() == 20000);
  CHECK(!text->gone);
}

TEST_CASE("a directory reads as an empty options file") {
  const Tree tree;
  const auto text = DiskOptionTexts().read(tree.root());
  REQUIRE(text);
  CHECK(text->text.empty());
}

TEST_CASE("a pipe is read and is then gone") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(::write(ends[1], "-c", 2) == 2);
  ::close(ends[1]);
  const auto text = DiskOptionTexts().read("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  REQUIRE(text);
  CHECK(text->text == "-c");
  CHECK(text->gone);
}

TEST_CASE("an options file that is missing or endless is no options file") {
  const Tree tree;
  CHECK(!DiskOptionTexts().read(tree.path("missing")));
  CHECK(!DiskOptionTexts().read("/dev/zero"));
}
