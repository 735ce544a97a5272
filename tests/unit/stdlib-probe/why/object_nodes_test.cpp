// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/object_nodes.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;

namespace {

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8)
    bytes += static_cast<char>(value >> static_cast<unsigned>(shift) & 0xffU);
  return bytes;
}

/// A common entry of 16 bytes, followed by two functions' entries of 20 bytes.
std::string section() {
  const std::string common = word(12) + word(0) + word(0) + word(0);
  const std::string first = word(16) + word(20) + word(0) + word(0) + word(0);
  const std::string second = word(16) + word(40) + word(0) + word(0) + word(0);
  return common + first + second;
}

} // namespace

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

TEST_CASE("a function's entry leads to its exception table and its personality") {
  const std::vector<UnwindRelocation> relocations{
      {56 - 8, 3, 5, 64}, {24, 2, 5, 0}, {8, 9, 0, 0}, {32, 4, 7, 16}};
  const auto entries = unwind_entries(section(), true, relocations);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].function_section == 5);
  CHECK(entries[0].function_offset == 0);
  CHECK(entries[0].personality == std::vector<std::size_t>{9});
  CHECK(entries[0].has_table);
  CHECK(entries[0].table_section == 7);
  CHECK(entries[0].table_offset == 16);
  CHECK(entries[1].function_offset == 64);
  CHECK(!entries[1].has_table);
}

TEST_CASE("a damaged section gives the entries before the damage, and never more") {
  const std::vector<UnwindRelocation> relocations{{24, 2, 5, 0}, {44, 3, 5, 64}};
  const std::string whole = section();
  for (std::size_t length = 0; length <= whole.size(); ++length)
    CHECK(unwind_entries(whole.substr(0, length), true, relocations).size() <= 2);
  CHECK(unwind_entries(whole.substr(0, 40), true, relocations).size() == 1);
  CHECK(unwind_entries(word(0xffffffff) + whole, true, relocations).empty());
  CHECK(unwind_entries(word(0) + whole, true, relocations).empty());
}
