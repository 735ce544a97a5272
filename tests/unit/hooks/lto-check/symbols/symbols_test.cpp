// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/archive.hpp"
#include "hooks/lto-check/symbols/attributes.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"

#include <optional>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
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

/// As in llvm/Object/IRSymtab.h: a header, followed by the symbols.
std::string bitcode_table(const std::vector<BitcodeSymbol>& symbols) {
  constexpr std::uint32_t header = 84;
  std::string table(28, '\0');
  table += word(header) + word(static_cast<std::uint32_t>(symbols.size()));
  table.resize(header, '\0');
  for (const BitcodeSymbol& symbol : symbols)
    table += word(symbol.name_at) + word(symbol.size) + std::string(12, '\0') + word(symbol.flags);
  return table;
}

struct Symbols {
  Strings defined, common, undefined;
};

/// What a reader visits; nothing if it reports that not all symbols are known.
template <typename Read>
std::optional<Symbols> read_by(const Read& read) {
  Symbols symbols;
  const bool told = read([&](const Symbol& symbol) {
    (symbol.kind == Symbol::Kind::defined  ? symbols.defined
     : symbol.kind == Symbol::Kind::common ? symbols.common
                                           : symbols.undefined)
        .emplace_back(symbol.name);
  });
  return told ? std::optional(symbols) : std::nullopt;
}
std::optional<Symbols> symbols_of(std::string_view bytes) {
  return read_by([&](const SymbolVisit& visit) { return each_symbol(bytes, visit); });
}
std::optional<Symbols> symbols_of_gcc_table(std::string_view table) {
  return read_by([&](const SymbolVisit& visit) { return each_symbol_of_gcc_table(table, visit); });
}
std::optional<Symbols> symbols_of_bitcode_table(std::string_view table, std::string_view strings) {
  return read_by(
      [&](const SymbolVisit& visit) { return each_symbol_of_bitcode_table(table, strings, visit); });
}

constexpr std::uint32_t undefined = 1U << 3U, weak = 1U << 4U, common = 1U << 5U, global = 1U << 10U,
                        special = 1U << 11U;

} // namespace

TEST_CASE("GCC's table: definitions, references, and weak ones") {
  const auto symbols =
      symbols_of_gcc_table(gcc_row("f", 0) + gcc_row("weak", 1) + gcc_row("g", 2) + gcc_row("weak_need", 3) +
                           gcc_row("common", 4) + gcc_row("c", 0, "c"));
  REQUIRE(symbols);
  CHECK(symbols->defined == Strings{"f", "weak", "c"});
  CHECK(symbols->common == Strings{"common"});
  CHECK(symbols->undefined == Strings{"g"});
  CHECK(symbols_of_gcc_table("")->defined.empty());
}

TEST_CASE("a damaged table of GCC is rejected") {
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

TEST_CASE("a damaged table of bitcode is rejected") {
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

TEST_CASE("other bytes are rejected") {
  for (const char* bytes : {"", "text",
                            "\x7f"
                            "ELF",
                            "BC\xC0\xDE", "!<arch>\n"})
    CHECK_FALSE(symbols_of(bytes));
}

TEST_CASE("an archive has an index if its first member is one of any kind") {
  const auto archive = [](const std::string& name, const std::string& content = "    ") {
    std::string text = "!<arch>\n" + name;
    text.resize(8 + 48, ' ');
    return text + "4         `\n" + content;
  };
  for (const char* name : {"/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED"})
    CHECK_FALSE(lacks_index(archive(name)));
  CHECK_FALSE(lacks_index(archive("#1/12", "__.SYMDEF")));
  for (const char* name : {"//", "a.o/", "/0", "#1/12"})
    CHECK(lacks_index(archive(name)));
  CHECK_FALSE(lacks_index("!<arch>\n"));
  CHECK_FALSE(lacks_index("text"));
}

namespace {

/// Bits as in LLVM's bitstreams, the lowest first.
class Bits {
public:
  void fixed(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      bits_.push_back((value >> i & 1U) != 0);
  }
  void variable(std::uint64_t value) {
    for (; value > 31; value >>= 5U)
      fixed(32 | (value & 31), 6);
    fixed(value, 6);
  }
  void block(unsigned number, unsigned outer, const Bits& content) {
    fixed(1, outer);
    fixed(number, 8);
    fixed(3, 4); // abbreviations of 3 bits inside
    align();
    fixed(content.bits_.size() / 32, 32);
    bits_.insert(bits_.end(), content.bits_.begin(), content.bits_.end());
  }
  void record(unsigned code, const std::vector<std::uint64_t>& operands) {
    fixed(3, 3);
    variable(code);
    variable(operands.size());
    for (const std::uint64_t operand : operands)
      variable(operand);
  }
  Bits& end() {
    fixed(0, 3);
    align();
    return *this;
  }
  void align() { bits_.resize((bits_.size() + 31) / 32 * 32); }
  std::string bytes() const {
    std::string text(bits_.size() / 8, '\0');
    for (std::size_t i = 0; i < bits_.size(); ++i)
      if (bits_[i])
        text[i / 8] = static_cast<char>(static_cast<unsigned char>(text[i / 8]) | 1U << i % 8);
    return text;
  }

private:
  std::vector<bool> bits_;
};

/// Bitcode with one group of attributes.
std::string with_group(const std::vector<std::uint64_t>& group) {
  Bits groups, module, all;
  groups.record(3, group);
  module.block(10, 3, groups.end());
  module.record(1, {2}); // its version
  all.fixed(0xdec04342, 32);
  all.block(8, 2, module.end());
  return all.bytes();
}

} // namespace

TEST_CASE("the newest attribute of a module is found, whatever values are between") {
  CHECK(newest_attribute(with_group({1, 0})) == 0);
  CHECK(newest_attribute(with_group({1, 0xffffffff, 0, 18})) == 18);
  CHECK(newest_attribute(with_group({1, 0, 1, 86, 500, 0, 18})) == 86);           // a value
  CHECK(newest_attribute(with_group({1, 0, 3, 'a', 'b', 0, 0, 33})) == 33);       // a text
  CHECK(newest_attribute(with_group({1, 0, 4, 'a', 0, 200, 200, 0, 0, 9})) == 9); // one with a value
  CHECK(newest_attribute(with_group({1, 0, 6, 69, 130, 5, 29})) == 69);           // a type, and without one
  CHECK(newest_attribute(with_group({1, 0, 7, 92, 64, 200, 300})) == 92);         // a range
  CHECK(newest_attribute(with_group({1, 0, 4, 'a'})) == 0);                       // cut
  const std::string whole = with_group({1, 0, 0, 102});
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK(newest_attribute(whole.substr(0, length)).value_or(102) == 102);
  CHECK_FALSE(newest_attribute(whole.substr(0, 20)));
  CHECK_FALSE(newest_attribute("BC\xC0\xDE"));
  CHECK_FALSE(newest_attribute("text"));
}
