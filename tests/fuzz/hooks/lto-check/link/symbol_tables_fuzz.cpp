// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/attributes.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

using namespace hostpin;

namespace {

/// How many symbols a reader visits.
template <typename Read>
std::size_t count(const Read& read) {
  std::size_t symbols = 0;
  static_cast<void>(
      read([&](const lto::Symbol& symbol) { symbols += symbol.name.data() != nullptr ? 1 : 0; }));
  return symbols;
}

} // namespace

std::vector<std::string> seeds() {
  const std::string row("f\0c\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0", 18);
  std::string bitcode(84, '\0');
  bitcode[28] = 84, bitcode[32] = 1;
  bitcode += std::string("\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0", 24);
  return {row, row + row, bitcode};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // A row is two ends of strings and 14 bytes.
  if (count([&](const lto::SymbolVisit& visit) { return lto::each_symbol_of_gcc_table(bytes, visit); }) * 16 >
      size)
    std::abort();
  // The first byte cuts the rest into symbols and names.
  const std::size_t cut = size == 0 ? 0 : std::min(size, std::size_t{data[0]} * 4);
  const auto by_cut = [&](const lto::SymbolVisit& visit) {
    return lto::each_symbol_of_bitcode_table(bytes.substr(0, cut), bytes.substr(cut), visit);
  };
  if (count(by_cut) * 24 > cut)
    std::abort();
  count(
      [&](const lto::SymbolVisit& visit) { return lto::each_symbol_of_bitcode_table(bytes, bytes, visit); });
  static_cast<void>(lto::newest_attribute(bytes));
  static_cast<void>(lto::newest_attribute("BC\xC0\xDE" + std::string(bytes)));
  return 0;
}
