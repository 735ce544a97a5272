// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/repeated.hpp"
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "tests/unit/toolchains/table/mutation.hpp"
#include "toolchains/table/table.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a damaged data file loads as a valid table or is refused by name") {
  const DiskFiles disk;
  const std::string directory = hostpin::test::shipped_data();
  const char* const names[] = {"cuda.toml", "exceptions.toml", "packages.toml", "platforms.toml"};
  std::map<std::string, std::string> intact;
  for (const char* name : names)
    intact["/d/" + std::string(name)] = disk.read(directory + '/' + name, 1 << 20).value();

  Mutations mutations(20261121);
  const unsigned rounds = test::repeated(800);
  unsigned refused = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const std::string path = "/d/" + std::string(names[round % 4]);
    auto contents = intact;
    contents[path] = mutations.mutated(intact[path]);
    CAPTURE(round);
    const auto table = load_table(FilesMap(std::move(contents)), "/d");
    if (!table) {
      ++refused;
      REQUIRE(table.error().message.find(path) != std::string::npos);
      continue;
    }
    for (std::size_t i = 0; i < table->ranges.size(); ++i) {
      REQUIRE(table->ranges[i].gcc_min <= table->ranges[i].gcc_max);
      REQUIRE((i == 0 || table->ranges[i - 1].since < table->ranges[i].since));
    }
  }
  // Most damage is fatal; if none were, the test would not have mutated anything.
  CHECK(refused > rounds / 8);
}
