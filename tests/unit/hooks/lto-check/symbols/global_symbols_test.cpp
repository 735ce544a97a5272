// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/global_symbols.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using Kind = Symbol::Kind;

TEST_CASE("a symbol is wanted until something defines it, and not again afterwards") {
  MemoryBound bound;
  GlobalSymbols symbols({}, bound);
  symbols.take({"f", Kind::undefined});
  CHECK(symbols.is_wanted("f"));
  symbols.take({"f", Kind::defined});
  CHECK(!symbols.is_wanted("f"));
  symbols.take({"f", Kind::undefined});
  symbols.seek("f");
  CHECK(!symbols.is_wanted("f"));
  symbols.seek("g");
  CHECK(symbols.is_wanted("g"));
}

TEST_CASE("a common symbol is no longer wanted, and common until it is really defined") {
  MemoryBound bound;
  GlobalSymbols symbols({}, bound);
  symbols.want("c", false);
  symbols.take({"c", Kind::common});
  CHECK(!symbols.is_wanted("c"));
  CHECK(symbols.is_common("c"));
  symbols.take({"c", Kind::defined});
  CHECK(!symbols.is_common("c"));
  symbols.take({"c", Kind::common});
  CHECK(!symbols.is_common("c"));
}

TEST_CASE("what --defsym defines is never wanted") {
  Resolving how;
  how.defined = {"f"};
  MemoryBound bound;
  GlobalSymbols symbols(how, bound);
  symbols.take({"f", Kind::undefined});
  symbols.seek("f");
  CHECK(!symbols.is_wanted("f"));
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
    Resolving how;
    how.wrapping = row.wrapping;
    how.wraps = {"f"};
    MemoryBound bound;
    GlobalSymbols symbols(how, bound);
    symbols.want(row.reference, row.in_bytecode);
    CHECK(symbols.is_wanted(row.wanted));
    CHECK(symbols.undefined().size() == 1);
  }
}

TEST_CASE("if --wrap does not rename references, any symbol of that name asks for the wrapper") {
  Resolving how;
  how.wrapping = Wrapping::besides;
  how.wraps = {"f"};
  MemoryBound bound;
  GlobalSymbols symbols(how, bound);
  symbols.take({"f", Kind::defined});
  CHECK(symbols.is_wanted("__wrap_f"));
  CHECK(!symbols.is_wanted("f"));
}

TEST_CASE("in the end the undefined symbols are missing") {
  MemoryBound bound;
  GlobalSymbols symbols({}, bound);
  symbols.take({"defined", Kind::defined});
  symbols.take({"common", Kind::common});
  symbols.take({"wanted", Kind::undefined});
  CHECK(symbols.undefined() == Names{"wanted"});
}
