// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/unwind.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

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
