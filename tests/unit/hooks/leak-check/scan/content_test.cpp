// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/content.hpp"
#include "tests/repeated.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

NeedleSet needles(const std::vector<std::string>& paths) {
  return NeedleSet::make(paths).value();
}

std::string wide(std::string_view text) {
  std::string bytes;
  for (const char c : text)
    bytes += {c, '\0'};
  return bytes;
}

std::string line(const FoundNeedle& one) {
  std::string text = shown(one.where) + ' ' + one.where.section + ' ' + std::to_string(one.needle) + ' ' +
                     one.text + " of " + one.common + " x" + std::to_string(one.times) +
                     (one.attached ? " attached" : "") +
                     (one.encoding == Hit::Encoding::utf16 ? " utf16" : "") + " how " +
                     std::to_string(static_cast<int>(one.how));
  for (const std::uint64_t offset : one.offsets)
    text += ' ' + std::to_string(offset);
  return text;
}

std::vector<std::string> lines(const std::vector<FoundNeedle>& found) {
  std::vector<std::string> text;
  for (const FoundNeedle& one : found)
    text.push_back(line(one));
  return text;
}

/// The hits of a blob that is read in ranges that end at `cuts`.
std::vector<std::string> found(const NeedleSet& set, const binary::Blob& blob,
                               const std::vector<std::uint64_t>& cuts) {
  ContentScan scan(set);
  OneLocation locations({"m"}, "s");
  HitCollector all;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const std::uint64_t end = i < cuts.size() ? cuts[i] : blob.size();
    HitCollector some;
    LinkedIn linked_in;
    REQUIRE(scan.range(blob, begin, end, locations, some, linked_in));
    all.append(std::move(some));
    begin = end;
  }
  CHECK_FALSE(all.is_full());
  return lines(all.take(locations, "f"));
}

std::string random_bytes(std::mt19937& random, std::size_t size) {
  const std::vector<std::string> pieces = {"/opt/gcc-11",
                                           "/opt/gcc-11/lib64",
                                           "/opt/x/../gcc-11/lib",
                                           "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-gcc-11/lib",
                                           "0123456789abcdfghijklmnpqrsvwxyz",
                                           wide("/opt/gcc-11/lib"),
                                           "-L/opt//gcc-11",
                                           "share/opt/gcc-11",
                                           std::string(3, '\0'),
                                           "\n",
                                           "/usr/lib/",
                                           ":",
                                           "//",
                                           "/./"};
  std::string bytes;
  while (bytes.size() < size)
    bytes += random() % 3 == 0
                 ? std::string(random() % 300, static_cast<char>(random() % 2 == 0 ? 0 : random()))
                 : pieces[random() % pieces.size()];
  return bytes;
}

std::vector<FoundNeedle> found_at_once(const NeedleSet& set, const std::string& bytes) {
  ContentScan scan(set);
  OneLocation locations({}, {});
  HitCollector hits;
  LinkedIn linked_in;
  REQUIRE(scan.range(binary::Blob(bytes), 0, bytes.size(), locations, hits, linked_in));
  return hits.take(locations, "f");
}

} // namespace

TEST_CASE("any ranges of a file give the same hits") {
  std::mt19937 random(11);
  const NeedleSet set = needles(
      {"/opt/gcc-11", "/opt/gcc-11/lib64", "/lib", "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-gcc-11"});
  for (unsigned round = 0; round < test::repeated(60); ++round) {
    const binary::Blob blob(random_bytes(random, 1000 + random() % 120000));
    const std::vector<std::string> whole = found(set, blob, {});
    REQUIRE_FALSE(whole.empty());
    for (unsigned way = 0; way < 4; ++way) {
      std::vector<std::uint64_t> cuts;
      for (unsigned i = 0; i < 1 + way * 5; ++i)
        cuts.push_back(random() % (blob.size() + 1));
      std::sort(cuts.begin(), cuts.end());
      REQUIRE(found(set, blob, cuts) == whole);
    }
  }
}

TEST_CASE("a needle is found on either side of a cut, and once if it is cut") {
  const NeedleSet set = needles({"/opt/gcc-11"});
  const binary::Blob blob(std::string(100, 'x') + '\n' + "/opt/gcc-11/bin/gcc" + std::string(30, '\n'));
  for (std::uint64_t cut = 90; cut < 130; ++cut)
    CHECK(found(set, blob, {cut}) ==
          std::vector<std::string>{"f(m) s 0 /opt/gcc-11/bin/gcc of /opt/gcc-11/bin/gcc x1 how 0 101"});
  CHECK(found(set, binary::Blob(std::string("x\n/opt/gcc-11")), {3}) ==
        std::vector<std::string>{"f(m) s 0 /opt/gcc-11 of /opt/gcc-11 x1 how 0 2"});
}

TEST_CASE("the text of a hit is the whole path") {
  const NeedleSet set = needles({"/opt/gcc-11", "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-gcc-11"});
  struct Row {
    std::string bytes;
    const char* text;
  };
  const Row rows[] = {
      {"-L/opt/gcc-11/lib64 -lx", "/opt/gcc-11/lib64"},
      {"/usr/lib:/opt/gcc-11/lib64:/lib", "/opt/gcc-11/lib64"},
      {"\"/opt/y/../gcc-11/lib\"", "/opt/y/../gcc-11/lib"},
      {wide("C /opt/gcc-11/lib;"), "/opt/gcc-11/lib"},
      {"see 0123456789abcdfghijklmnpqrsvwxyz-gcc-11", "0123456789abcdfghijklmnpqrsvwxyz-gcc-11"},
      {"in /gnu/store/0123456789abcdfghijklmnpqrsvwxyz-g/lib;",
       "/gnu/store/0123456789abcdfghijklmnpqrsvwxyz-g/lib"},
      {R"("\/opt\/gcc-11\/lib64")", "/opt/gcc-11/lib64"},
      {R"("\/opt\/y\/..\/gcc-11\/lib")", "/opt/y/../gcc-11/lib"},
      {R"("\/gnu\/store\/0123456789abcdfghijklmnpqrsvwxyz-g\/lib")",
       "/gnu/store/0123456789abcdfghijklmnpqrsvwxyz-g/lib"},
  };
  for (const Row& row : rows) {
    ContentScan scan(set);
    OneLocation locations({}, {});
    HitCollector hits;
    LinkedIn linked_in;
    REQUIRE(scan.range(binary::Blob(row.bytes), 0, row.bytes.size(), locations, hits, linked_in));
    const auto all = hits.take(locations, "f");
    REQUIRE(all.size() == 1);
    CHECK(all[0].text == row.text);
  }
}

TEST_CASE("different paths below one needle are reported by their common part") {
  const NeedleSet set = needles({"/opt/gcc-11"});
  struct Row {
    const char *bytes, *common;
  };
  for (const Row& row : {Row{"/opt/gcc-11/include /opt/gcc-11/include ", "/opt/gcc-11/include"},
                         Row{"/opt/gcc-11/include /opt/gcc-11/lib64/libf.so ", "/opt/gcc-11"},
                         Row{"/opt/gcc-11/lib/a /opt/gcc-11/lib/b /opt/gcc-11/lib ", "/opt/gcc-11/lib"},
                         Row{"/opt/gcc-11/lib /opt/gcc-11/lib64 ", "/opt/gcc-11"},
                         Row{"/opt/gcc-11/a /opt/gcc-11 ", "/opt/gcc-11"}}) {
    CAPTURE(row.bytes);
    const std::string bytes = row.bytes;
    const auto all = found_at_once(set, bytes);
    REQUIRE(all.size() == 1);
    CHECK(all[0].common == row.common);
  }
}

TEST_CASE("a needle that occurs often is one hit with its first offsets") {
  const NeedleSet set = needles({"/opt/gcc-11"});
  std::string bytes;
  for (unsigned i = 0; i < 1000; ++i)
    bytes += "/opt/gcc-11\n";
  const auto all = found_at_once(set, bytes);
  REQUIRE(all.size() == 1);
  CHECK(all[0].times == 1000);
  REQUIRE(all[0].offsets.size() == FoundNeedle::most_offsets);
  CHECK(all[0].offsets.back() == 12 * (FoundNeedle::most_offsets - 1));
}

TEST_CASE("a hit has the member of an archive and the section in it") {
  const NeedleSet set = needles({"/opt/gcc-11"});
  const std::string archive = test::ar_archive(
      {{"a.txt", "/opt/gcc-11"}, {"b.o", test::object_with(".rodata", "xx /opt/gcc-11", 2)}});
  ArIndex members{binary::Blob(archive)};
  REQUIRE(read_ar(binary::Blob(archive), [&](const ArMember& member) {
    members.add(member);
    return true;
  }));
  ArLocations locations(binary::Blob(archive), {"outer"}, std::move(members));
  ContentScan scan(set);
  HitCollector hits;
  LinkedIn linked_in;
  REQUIRE(scan.range(binary::Blob(archive), 0, archive.size(), locations, hits, linked_in));
  CHECK(lines(hits.take(locations, "f")) ==
        std::vector<std::string>{"f(outer)(a.txt)  0 /opt/gcc-11 of /opt/gcc-11 x1 how 0 0",
                                 "f(outer)(b.o) .rodata 0 /opt/gcc-11 of /opt/gcc-11 x1 how 0 67"});
}

TEST_CASE("where sections overlap, the one that begins last is reported") {
  const SectionMap map(
      {{"a", 1, 0, 100, 100}, {"b", 1, 0, 150, 10}, {"empty", 1, 0, 120, 0}, {"c", 1, 0, 300, ~0ULL}});
  CHECK(map.name(map.index_at(99)).empty());
  CHECK(map.name(map.index_at(100)) == "a");
  CHECK(map.name(map.index_at(149)) == "a");
  CHECK(map.name(map.index_at(155)) == "b");
  CHECK(map.name(map.index_at(~0ULL - 1)) == "c");
}
