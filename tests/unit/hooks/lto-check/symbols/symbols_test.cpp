// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/symbols.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

namespace {

std::string gcc_row(const std::string& name, char kind, const std::string& comdat = "") {
  std::string row = name + '\0' + comdat + '\0';
  row += kind;
  row.append(13, '\1'); // visibility, size, slot
  return row;
}

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i)
    bytes += static_cast<char>(value >> (8 * i) & 0xffU);
  return bytes;
}

struct BitcodeSymbol {
  std::uint32_t name_at, size, flags;
};

/// As llvm/Object/IRSymtab.h has it: a header whose symbols stand behind it.
std::string bitcode_table(const std::vector<BitcodeSymbol>& symbols) {
  constexpr std::uint32_t header = 84;
  std::string table(28, '\0');
  table += word(header) + word(static_cast<std::uint32_t>(symbols.size()));
  table.resize(header, '\0');
  for (const BitcodeSymbol& symbol : symbols)
    table += word(symbol.name_at) + word(symbol.size) + std::string(12, '\0') + word(symbol.flags);
  return table;
}

constexpr std::uint32_t undefined = 1U << 3U, weak = 1U << 4U, common = 1U << 5U, global = 1U << 10U,
                        special = 1U << 11U;

} // namespace

TEST_CASE("GCC's table: definitions, needs, and what pulls nothing") {
  const auto symbols =
      symbols_of_gcc_table(gcc_row("f", 0) + gcc_row("weak", 1) + gcc_row("g", 2) + gcc_row("weak_need", 3) +
                           gcc_row("common", 4) + gcc_row("c", 0, "c"));
  REQUIRE(symbols);
  CHECK(symbols->defined == Strings{"f", "weak", "c"});
  CHECK(symbols->common == Strings{"common"});
  CHECK(symbols->undefined == Strings{"g"});
  CHECK(symbols_of_gcc_table("")->defined.empty());
}

TEST_CASE("a damaged table of GCC's tells nothing") {
  const std::string row = gcc_row("f", 0);
  for (std::size_t size = 1; size < row.size(); ++size)
    CHECK_FALSE(symbols_of_gcc_table(std::string_view(row).substr(0, size)));
  CHECK_FALSE(symbols_of_gcc_table(gcc_row("f", 5)));
  CHECK_FALSE(symbols_of_gcc_table(gcc_row("f", -1)));
}

TEST_CASE("bitcode's table: global symbols by their flags") {
  const auto symbols = symbols_of_bitcode_table(bitcode_table({{0, 1, global},
                                                               {1, 1, global | undefined},
                                                               {2, 1, global | undefined | weak},
                                                               {3, 1, 0},
                                                               {3, 1, global | special},
                                                               {4, 1, global | common}}),
                                                "fghij");
  REQUIRE(symbols);
  CHECK(symbols->common == Strings{"j"});
  CHECK(symbols->defined == Strings{"f"});
  CHECK(symbols->undefined == Strings{"g"});
}

TEST_CASE("a damaged table of bitcode's tells nothing") {
  CHECK_FALSE(symbols_of_bitcode_table("", ""));
  CHECK_FALSE(symbols_of_bitcode_table(bitcode_table({{9, 1, global}}), "f"));
  CHECK_FALSE(symbols_of_bitcode_table(bitcode_table({{0, 0xffffffff, global}}), "f"));
  std::string table = bitcode_table({{0, 1, global}});
  CHECK_FALSE(symbols_of_bitcode_table(std::string_view(table).substr(0, table.size() - 1), "f"));
  table.replace(28, 4, word(0xfffffff0));
  CHECK_FALSE(symbols_of_bitcode_table(table, "f"));
  table = bitcode_table({{0, 1, global}});
  table.replace(32, 4, word(0x10000000));
  CHECK_FALSE(symbols_of_bitcode_table(table, "f"));
}

TEST_CASE("other bytes tell nothing") {
  for (const char* bytes : {"", "text",
                            "\x7f"
                            "ELF",
                            "BC\xC0\xDE", "!<arch>\n"})
    CHECK_FALSE(symbols_of(bytes));
}
