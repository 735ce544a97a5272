// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/object_nodes.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("bytes belong to the symbol that covers them, and symbols of one place share a node") {
  ObjectNodes nodes;
  const std::size_t missing = nodes.add_undefined("missing");
  const std::size_t second = nodes.add_symbol("second", 1, 16, 8);
  const std::size_t first = nodes.add_symbol("first", 1, 0, 16);
  CHECK(nodes.add_symbol("also_first", 1, 0, 4) == first);
  const std::size_t other = nodes.add_symbol("first", 2, 0, 16);
  nodes.end_symbols();

  CHECK(missing != first);
  CHECK(other != first);
  CHECK(nodes.at(1, 0) == first);
  CHECK(nodes.at(1, 15) == first);
  CHECK(nodes.at(1, 16) == second);
  CHECK(nodes.at(2, 15) == other);
  CHECK(nodes.is_in_symbol(1, 23));
  CHECK(!nodes.is_in_symbol(1, 24));
  CHECK(!nodes.is_in_symbol(3, 0));
  REQUIRE(nodes.names(first).size() == 2);
  CHECK(nodes.names(first)[1] == "also_first");
  CHECK(nodes.names(missing).front() == "missing");
}

TEST_CASE("bytes without a symbol are split at the offsets that something refers to") {
  ObjectNodes nodes;
  nodes.add_symbol("symbol", 1, 32, 8);
  nodes.end_symbols();
  const std::size_t early = nodes.part(1, 8);
  const std::size_t late = nodes.part(1, 24);
  CHECK(nodes.part(1, 8) == early);

  CHECK(nodes.at(1, 8) == early);
  CHECK(nodes.at(1, 23) == early);
  CHECK(nodes.at(1, 24) == late);
  CHECK(nodes.at(1, 40) == late);
  const std::size_t before = nodes.at(1, 0);
  CHECK(before != early);
  CHECK(nodes.at(1, 7) == before);
  CHECK(nodes.names(before).empty());
}

TEST_CASE("an exception table belongs to its function, up to the next one") {
  ObjectNodes nodes;
  const std::size_t first = nodes.add_symbol("first", 1, 0, 8);
  const std::size_t second = nodes.add_symbol("second", 1, 8, 8);
  nodes.end_symbols();
  nodes.part(2, 4);
  nodes.add_table(2, 20, second);
  nodes.add_table(2, 8, first);
  nodes.end_tables();

  CHECK(nodes.at(2, 8) == first);
  CHECK(nodes.at(2, 19) == first);
  CHECK(nodes.at(2, 20) == second);
  CHECK(nodes.at(2, 4096) == second);
  CHECK(nodes.at(2, 7) == nodes.part(2, 4));
}

TEST_CASE("references are kept with what they lead to") {
  ObjectNodes nodes;
  const std::size_t missing = nodes.add_undefined("missing");
  const std::size_t function = nodes.add_symbol("function", 1, 0, 8);
  nodes.end_symbols();
  CHECK(nodes.references_to(missing).empty());
  nodes.add_reference(missing, {function, 1, 4});
  REQUIRE(nodes.references_to(missing).size() == 1);
  CHECK(nodes.references_to(missing).front().holder == function);
  CHECK(nodes.references_to(missing).front().offset == 4);
  CHECK(nodes.references_to(function).empty());
}
