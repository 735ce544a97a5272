// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/stub_library.hpp"
#include "toolchains/redist/tree/dynamic_symbols.hpp"

#include <algorithm>
#include <elf.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;
using binary::stub_bytes;
using binary::StubLibrary;

TEST_CASE("undefined symbols of this program have the versions of the C library") {
  const auto self = binary::MappedFile::open("/proc/self/exe");
  REQUIRE(self);
  const auto symbols = read_dynamic_symbols(self->bytes());
  REQUIRE_MESSAGE(symbols, symbols.error().message);
  const auto memcmp = std::ranges::find(symbols->undefined, "memcmp", &UndefinedSymbol::name);
  const auto start = std::ranges::find(symbols->undefined, "__libc_start_main", &UndefinedSymbol::name);
  REQUIRE(start != symbols->undefined.end());
  CHECK(start->library.starts_with("libc.so."));
  CHECK(start->version.starts_with("GLIBC_2."));
  CHECK((memcmp == symbols->undefined.end() || memcmp->version.starts_with("GLIBC_2.") ||
         memcmp->library.empty())); // sanitizers have their own
  // Weak, so that it may be missing.
  CHECK(std::ranges::find(symbols->undefined, "__gmon_start__", &UndefinedSymbol::name) ==
        symbols->undefined.end());
}

TEST_CASE("exported symbols have their versions, and none that stand for a version") {
  const auto versioned =
      read_dynamic_symbols(stub_bytes({EM_X86_64, "libx.so", {{"one", {"V_1", "V_2"}}, {"two", {"V_1"}}}}));
  REQUIRE_MESSAGE(versioned, versioned.error().message);
  CHECK(versioned->exported == std::set<std::string>{"one@V_1", "one@V_2", "two@V_1"});
  const auto plain = read_dynamic_symbols(stub_bytes({EM_X86_64, "libx.so", {{"one", {}}}}));
  REQUIRE_MESSAGE(plain, plain.error().message);
  CHECK(plain->exported == std::set<std::string>{"one"});
}

TEST_CASE("cut and changed libraries are read or refused, never past their end") {
  const std::string whole = stub_bytes({EM_X86_64, "libx.so", {{"one", {"V_1", "V_2"}}, {"two", {"V_1"}}}});
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size)
    if (!read_dynamic_symbols(whole.substr(0, size)))
      ++refused;
  CHECK(refused == whole.size()); // section headers are at the end
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[at] = value;
      if (const auto symbols = read_dynamic_symbols(changed))
        CHECK(symbols->defined.size() <= 4);
    }
}

TEST_CASE("other files are refused") {
  CHECK_FALSE(read_dynamic_symbols(""));
  CHECK_FALSE(read_dynamic_symbols("text"));
}
