// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/dynamic_symbols.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin::binary;

TEST_CASE("this program needs symbols of the C library, and each has a name") {
  auto file = InputFile::open("/proc/self/exe");
  REQUIRE(file);
  std::vector<std::string> needed;
  const auto read = each_dynamic_symbol(Bytes(**file), [&](const DynamicSymbol& symbol) {
    CHECK_FALSE(symbol.name.empty());
    if (!symbol.is_defined)
      needed.emplace_back(symbol.name);
    return true;
  });
  REQUIRE(read);
  if (!*read)
    return; // a static program
  CHECK(std::find(needed.begin(), needed.end(), "__libc_start_main") != needed.end());
  int visited = 0;
  CHECK(each_dynamic_symbol(Bytes(**file), [&](const DynamicSymbol&) { return ++visited < 2; }));
  CHECK(visited == 2);
}

TEST_CASE("what is not ELF has none, and a file that is cut short is damaged") {
  const auto visit = [](const DynamicSymbol&) { return true; };
  const InputFile text{std::string_view("no ELF file")};
  const auto none = each_dynamic_symbol(Bytes(text), visit);
  REQUIRE(none);
  CHECK_FALSE(*none);
  auto file = InputFile::open("/proc/self/exe");
  REQUIRE(file);
  std::string bytes((*file)->size() - 64, '\0');
  REQUIRE(Bytes(**file).read(0, bytes.data(), bytes.size()));
  const InputFile cut{std::string_view(bytes)};
  CHECK_FALSE(each_dynamic_symbol(Bytes(cut), visit));
}
