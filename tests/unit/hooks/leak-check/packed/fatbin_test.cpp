// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/fatbin.hpp"
#include "tests/unit/hooks/leak-check/packed/fatbin_builder.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using test::fatbin;

namespace {

constexpr std::string_view cubin("\x7f"
                                 "ELF cubin");

std::vector<FatbinEntry> entries(const std::string& section, bool& good) {
  std::vector<FatbinEntry> found;
  good = read_fatbins(Blob(section), [&](const FatbinEntry& entry) {
           found.push_back(entry);
           return true;
         }).has_value();
  return found;
}

} // namespace

TEST_CASE("entries of several fatbins are told with their place and packing") {
  using Packing = FatbinEntry::Packing;
  const std::string section = fatbin({{2, 90, 0, std::string(cubin)}, {1, 80, 0x8000, "zstd!"}}) +
                              std::string(8, '\0') +
                              fatbin({{8, 75, 0x2000, "lz4"}, {2, 75, 0, "scrambled"}});
  bool good = false;
  const std::vector<FatbinEntry> found = entries(section, good);
  CHECK(good);
  REQUIRE(found.size() == 4);
  CHECK(found[0].name() == "sm_90 cubin");
  CHECK(found[0].packing == Packing::none);
  CHECK(section.substr(found[1].offset, found[1].head.size) == "zstd!");
  CHECK(found[1].packing == Packing::zstd);
  CHECK(found[2].name() == "sm_75 LTO-IR");
  CHECK(section.substr(found[2].offset, found[2].head.size) == "lz4");
  CHECK(found[2].packing == Packing::lz4);
  CHECK(found[3].packing == Packing::unknown);
  CHECK(found[0].fatbin == found[1].fatbin);
  CHECK(found[1].fatbin < found[2].fatbin);
  CHECK(found[2].fatbin == found[3].fatbin);
}

TEST_CASE("a section that is cut anywhere within an entry is an error") {
  const std::string section = fatbin({{2, 90, 0, std::string(cubin)}});
  bool good = false;
  for (std::size_t size = 16; size < section.size(); ++size) {
    CAPTURE(size);
    entries(section.substr(0, size), good);
    CHECK_FALSE(good);
  }
  entries("not a fatbin at all", good);
  CHECK_FALSE(good);
  entries("", good);
  CHECK(good);
}

TEST_CASE("sizes that lead outside are an error") {
  bool good = true;
  std::string section = fatbin({{2, 90, 0, std::string(cubin)}});
  section[16 + 8 + 7] = '\x7f'; // of the payload
  entries(section, good);
  CHECK_FALSE(good);
  section = fatbin({{2, 90, 0, std::string(cubin)}});
  section[16 + 4] = '\0'; // of the entry's header
  entries(section, good);
  CHECK_FALSE(good);
}
