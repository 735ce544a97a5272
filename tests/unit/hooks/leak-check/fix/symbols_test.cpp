// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/symbols.hpp"
#include "tests/unit/hooks/leak-check/scan/tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Tree;

TEST_CASE("the names of this very program's dynamic symbols are read") {
  const auto names = dynamic_symbols(std::filesystem::canonical("/proc/self/exe").string());
  REQUIRE(names);
  CHECK(names->front().empty());
  CHECK(std::find(names->begin(), names->end(), "__libc_start_main") != names->end());
}

TEST_CASE("what is cut short or no ELF file has no names") {
  const Tree tree;
  CHECK_FALSE(dynamic_symbols(tree.path("absent")));
  CHECK_FALSE(dynamic_symbols(tree.root()));
  CHECK_FALSE(dynamic_symbols(tree.write("text", "no ELF")));
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(self), {}};
  for (const std::size_t part : {2U, 4U, 64U, 1000U})
    CHECK_FALSE(dynamic_symbols(tree.write("cut", std::string_view(bytes).substr(0, bytes.size() / part))));
}
