// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/global_symbols.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Kind = Symbol::Kind;

namespace {

constexpr std::size_t enough = std::size_t{1} << 20U;

bool wants(const GlobalSymbols& symbols, std::string_view name) {
  return symbols.is_wanted(symbol_hash(name));
}

} // namespace

TEST_CASE("a symbol is wanted until something defines it, and not again afterwards") {
  Allowance allowance(enough);
  GlobalSymbols symbols({}, allowance);
  symbols.take({"f", Kind::undefined});
  CHECK(wants(symbols, "f"));
  symbols.take({"f", Kind::defined});
  CHECK(!wants(symbols, "f"));
  symbols.take({"f", Kind::undefined});
  symbols.seek("f");
  CHECK(!wants(symbols, "f"));
  symbols.seek("g");
  CHECK(wants(symbols, "g"));
}

TEST_CASE("a common symbol is no longer wanted, and common until it is really defined") {
  Allowance allowance(enough);
  GlobalSymbols symbols({}, allowance);
  symbols.want("c", false);
  symbols.take({"c", Kind::common});
  CHECK(!wants(symbols, "c"));
  CHECK(symbols.is_common(symbol_hash("c")));
  symbols.take({"c", Kind::defined});
  CHECK(!symbols.is_common(symbol_hash("c")));
  symbols.take({"c", Kind::common});
  CHECK(!symbols.is_common(symbol_hash("c")));
}

TEST_CASE("what --defsym defines is never wanted") {
  Allowance allowance(enough);
  Resolving how;
  how.defined = {"f"};
  GlobalSymbols symbols(how, allowance);
  symbols.take({"f", Kind::undefined});
  symbols.seek("f");
  CHECK(!wants(symbols, "f"));
}

TEST_CASE("--wrap renames references, in each linker's way") {
  struct Row {
    Wrapping wrapping;
    bool in_bytecode;
    const char* reference;
    const char* wanted;
  };
  const Row rows[] = {{Wrapping::everywhere, false, "f", "__wrap_f"},
                      {Wrapping::everywhere, true, "f", "__wrap_f"},
                      {Wrapping::everywhere, false, "__real_f", "f"},
                      {Wrapping::everywhere, false, "g", "g"},
                      {Wrapping::everywhere, false, "__real_g", "__real_g"},
                      {Wrapping::machine_code, false, "f", "__wrap_f"},
                      {Wrapping::machine_code, true, "f", "f"},
                      {Wrapping::machine_code, true, "__real_f", "__real_f"},
                      {Wrapping::besides, false, "f", "f"},
                      {Wrapping::besides, false, "__real_f", "f"}};
  for (const Row& row : rows) {
    CAPTURE(row.reference);
    CAPTURE(row.wanted);
    Allowance allowance(enough);
    Resolving how;
    how.wrapping = row.wrapping;
    how.wraps = {"f"};
    GlobalSymbols symbols(how, allowance);
    symbols.want(row.reference, row.in_bytecode);
    CHECK(wants(symbols, row.wanted));
    CHECK(symbols.end().size() == 1);
  }
}

TEST_CASE("if --wrap does not rename references, any symbol of that name asks for the wrapper") {
  Allowance allowance(enough);
  Resolving how;
  how.wrapping = Wrapping::besides;
  how.wraps = {"f"};
  GlobalSymbols symbols(how, allowance);
  symbols.take({"f", Kind::defined});
  CHECK(wants(symbols, "__wrap_f"));
  CHECK(!wants(symbols, "f"));
}

TEST_CASE("in the end only undefined symbols remain charged to the allowance") {
  Allowance allowance(4 * Hashes::cost);
  GlobalSymbols symbols({}, allowance);
  symbols.take({"defined", Kind::defined});
  symbols.take({"common", Kind::common});
  symbols.take({"wanted", Kind::undefined});
  const Hashes missing = symbols.end();
  CHECK(missing.size() == 1);
  CHECK(missing.contains(symbol_hash("wanted")));
  CHECK(allowance.take(3 * Hashes::cost));
  CHECK(!allowance.take(1));
}

TEST_CASE("nothing more is stored once the allowance is spent") {
  Allowance allowance(Hashes::cost);
  GlobalSymbols symbols({}, allowance);
  symbols.seek("a");
  CHECK(!allowance.spent());
  symbols.seek("b");
  CHECK(allowance.spent());
  symbols.seek("c");
  CHECK(!wants(symbols, "c"));
}
