// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/containers.hpp"
#include "tests/unit/hooks/leak-check/scan/fatbin_builder.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
using test::fatbin;

namespace {

struct Told {
  std::vector<ArMember> members;
  std::string wrong;
};

Told told(const std::string& archive) {
  Told all;
  const auto read = read_ar(binary::Blob(archive), [&](const ArMember& member) {
    all.members.push_back(member);
    return true;
  });
  all.wrong = read ? std::string() : read.error().message;
  return all;
}

std::string header(const std::string& name, const std::string& size) {
  std::string text = name + std::string(48 - name.size(), ' ') + size;
  return text + std::string(58 - text.size(), ' ') + "`\n";
}

} // namespace

TEST_CASE("members of an archive are told with their names and places") {
  const std::string long_name = "a_name_that_is_longer_than_its_field.o";
  const std::string archive = test::ar_archive({{"x.o", "odd"}, {long_name, "even"}, {"y y.o", ""}});
  const Told all = told(archive);
  CHECK(all.wrong.empty());
  REQUIRE(all.members.size() == 4);
  CHECK(all.members[0].is_index);
  CHECK(all.members[1].name == "x.o");
  CHECK(archive.substr(all.members[1].offset, all.members[1].size) == "odd");
  CHECK(all.members[2].name == long_name);
  CHECK(archive.substr(all.members[2].offset, all.members[2].size) == "even");
  CHECK(all.members[3].name == "y y.o");
  CHECK(all.members[3].size == 0);
}

TEST_CASE("names of BSD's kind stand before the content") {
  const Told all = told("!<arch>\n" + header("#1/8", "12") + std::string("long.o\0\0", 8) + "data" +
                        header("z.o", "1") + "z");
  REQUIRE(all.members.size() == 2);
  CHECK(all.members[0].name == "long.o");
  CHECK(all.members[0].size == 4);
  CHECK(all.members[1].name == "z.o");
}

TEST_CASE("a thin archive holds names only") {
  const Told all =
      told("!<thin>\n" + header("//", "10") + "sub/x.o/\n " + header("/0", "5000") + header("y.o/", "70"));
  CHECK(all.wrong.empty());
  REQUIRE(all.members.size() == 3);
  CHECK(all.members[1].name == "sub/x.o");
  CHECK(all.members[1].size == 0);
  CHECK(all.members[2].name == "y.o");
}

TEST_CASE("a damaged archive says so and gives what is before the damage") {
  const std::string archive = test::ar_archive({{"x.o", "12"}, {"y.o", "345"}});
  for (std::size_t size = 9; size < archive.size() - 1; ++size) {
    const bool between = size == 70; // just behind the first member
    CAPTURE(size);
    CHECK(told(archive.substr(0, size)).wrong.empty() == between);
  }
  CHECK(told("!<arch>\n").wrong.empty());
  CHECK(told(archive + "\n\n").wrong.empty());
  CHECK_FALSE(told(archive + "garbage").wrong.empty());
  CHECK_FALSE(told("!<arch>\n" + header("x.o", "-1")).wrong.empty());
  CHECK_FALSE(told("!<arch>\n" + header("x.o", "9999999999")).wrong.empty());
  CHECK(told("!<arch>\n" + header("/77", "0")).members.at(0).name == "/77");
}

TEST_CASE("reading stops where the visitor wants no more") {
  int count = 0;
  CHECK(read_ar(binary::Blob(test::ar_archive({{"x.o", "1"}, {"y.o", "2"}})),
                [&](const ArMember&) { return ++count < 1; }));
  CHECK(count == 1);
}

TEST_CASE("members are found again by a byte of theirs, with their names") {
  const std::string long_name = "a-name-that-is-longer-than-sixteen.o";
  const std::string archive = test::ar_archive({{"x.o", "12"}, {long_name, "345"}, {"empty.o", ""}});
  ArIndex index{binary::Blob(archive)};
  std::vector<ArMember> members;
  REQUIRE(read_ar(binary::Blob(archive), [&](const ArMember& member) {
    index.add(member);
    members.push_back(member);
    return true;
  }));
  REQUIRE(index.size() == members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto again = index.member(i);
    REQUIRE(again);
    CHECK(again->name == members[i].name);
    CHECK(again->offset == members[i].offset);
    CHECK_FALSE(index.at(members[i].header)); // a header is no content
    CHECK_FALSE(index.at(members[i].offset + members[i].size) == i);
    if (members[i].size > 0) {
      CHECK(index.at(members[i].offset) == i);
      CHECK(index.at(members[i].offset + members[i].size - 1) == i);
    }
  }
  CHECK_FALSE(index.at(0));
  CHECK_FALSE(index.at(archive.size()));
}

namespace {

constexpr std::string_view cubin("\x7f"
                                 "ELF cubin");

std::vector<FatbinEntry> entries(const std::string& section, bool& good) {
  std::vector<FatbinEntry> found;
  good = read_fatbins(binary::Blob(section), [&](const FatbinEntry& entry) {
           found.push_back(entry);
           return true;
         }).has_value();
  return found;
}

} // namespace

TEST_CASE("entries of several fatbins are told with their place and packing") {
  using Packing = binary::DevicePacking;
  const std::string section = fatbin({{2, 90, 0, std::string(cubin)}, {1, 80, 0x8000, "zstd!"}}) +
                              std::string(8, '\0') +
                              fatbin({{8, 75, 0x2000, "lz4"}, {2, 75, 0, "scrambled"}});
  bool good = false;
  const std::vector<FatbinEntry> found = entries(section, good);
  CHECK(good);
  REQUIRE(found.size() == 4);
  CHECK(found[0].name() == "sm_90 cubin");
  CHECK(found[0].head.packing == Packing::none);
  CHECK_FALSE(found[0].is_scrambled);
  CHECK(section.substr(found[1].offset(), found[1].head.size) == "zstd!");
  CHECK(found[1].head.packing == Packing::zstd);
  CHECK(found[2].name() == "sm_75 LTO-IR");
  CHECK(section.substr(found[2].offset(), found[2].head.size) == "lz4");
  CHECK(found[2].head.packing == Packing::lz4);
  CHECK(found[3].is_scrambled);
  CHECK(found[0].head.fatbin == found[1].head.fatbin);
  CHECK(found[1].head.fatbin < found[2].head.fatbin);
  CHECK(found[2].head.fatbin == found[3].head.fatbin);
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
