// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/archive.hpp"
#include "tests/tree.hpp"

#include <malloc.h>
#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
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
  MemoryBound bound;
  scratch.write("m.o", "text");
  const auto archive = SymbolArchive::open(
      scratch.path("thin.a"), binary::MappedFile::or_empty(scratch.write("thin.a", thin_archive("m.o"))),
      Index::own, bound);
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
  MemoryBound bound;
  REQUIRE(::mkfifo(scratch.path("pipe.o").c_str(), 0600) == 0);
  for (const char* name : {"pipe.o", "missing.o"}) {
    CHECK_FALSE(SymbolArchive::open(scratch.path("thin.a"),
                                    binary::MappedFile::or_empty(scratch.write("thin.a", thin_archive(name))),
                                    Index::members, bound));
  }
}
