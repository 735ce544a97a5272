// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/archive.hpp"
#include "tests/tree.hpp"

#include <malloc.h>
#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Tree;

namespace {

/// A thin archive of one member, a file next to it.
std::string thin_archive(const std::string& name) {
  std::string header = name + '/';
  header.resize(48, ' ');
  return "!<thin>\n" + header + "4         `\n";
}

} // namespace

TEST_CASE("reading a thin archive's member any number of times keeps nothing in memory") {
  const Tree scratch;
  scratch.write("m.o", "text");
  Allowance allowance(1000);
  const auto archive = SymbolArchive::open(scratch.path("thin.a"),
                                           MappedFile::or_empty(scratch.write("thin.a", thin_archive("m.o"))),
                                           Index::own, allowance);
  REQUIRE(archive);
  CHECK(archive->bytes(0).view() == "text");
  CHECK_FALSE(archive->place(0));
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  for (int i = 0; i < 1000; ++i)
    CHECK(archive->bytes(0).view().size() == 4);
  CHECK(mallinfo2().uordblks + mallinfo2().hblkhd <= before + 4096);
}

TEST_CASE("a thin archive whose member is not a regular file is damaged, and does not block") {
  const Tree scratch;
  REQUIRE(::mkfifo(scratch.path("pipe.o").c_str(), 0600) == 0);
  for (const char* name : {"pipe.o", "missing.o"}) {
    Allowance allowance(1000);
    CHECK_FALSE(SymbolArchive::open(scratch.path("thin.a"),
                                    MappedFile::or_empty(scratch.write("thin.a", thin_archive(name))),
                                    Index::members, allowance));
  }
}

TEST_CASE("hashes are found as long as they are in the set, whatever its size") {
  Hashes hashes;
  const auto name = [](int i) { return symbol_hash("symbol" + std::to_string(i)); };
  constexpr int many = 20000;
  for (int i = 0; i < many; ++i)
    CHECK(hashes.insert(name(i)));
  CHECK_FALSE(hashes.insert(name(7)));
  for (int i = 0; i < many; i += 3)
    CHECK(hashes.erase(name(i)));
  CHECK_FALSE(hashes.erase(name(0)));
  std::size_t left = 0;
  for (int i = 0; i < many; ++i) {
    CHECK(hashes.contains(name(i)) == (i % 3 != 0));
    left += i % 3 != 0 ? 1 : 0;
  }
  CHECK(hashes.size() == left);
  std::size_t visited = 0;
  hashes.each([&](std::uint64_t) { ++visited; });
  CHECK(visited == left);
  CHECK_FALSE(Hashes().contains(name(1)));
}

TEST_CASE("an allowance that is spent remains spent") {
  Allowance allowance(10);
  CHECK(allowance.take(6));
  allowance.give_back(6);
  CHECK(allowance.take(10));
  CHECK_FALSE(allowance.take(1));
  allowance.give_back(10);
  CHECK_FALSE(allowance.take(1));
  CHECK(allowance.spent());
}
