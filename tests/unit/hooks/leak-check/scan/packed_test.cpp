// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/packed.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "tests/tree.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

struct Unpacked {
  test::Packed members;
  std::vector<std::string> troubles;
};

Unpacked unpacked(const std::string& bytes) {
  Unpacked all;
  const auto opened = each_packed_member(binary::Blob(bytes), [&](PackedMember& member) {
    std::string content;
    std::string space(1000, '\0');
    for (;;) {
      const auto count = member.read(space);
      if (!count)
        all.troubles.push_back(count.error().message);
      if (!count || *count == 0)
        break;
      content.append(space, 0, *count);
    }
    const auto target = member.link_target();
    all.members.emplace_back(member.name() + (target ? "@" : ""), target.value_or(content));
    return true;
  });
  if (!opened)
    all.troubles.push_back(opened.error().message);
  return all;
}

const test::Packed files = {{"a/x", std::string(5000, 'x')},
                            {"../../etc/passwd", "traversal"},
                            {"/absolute", ""},
                            {"new\nline \xff\xfe", "name"},
                            {"link@", "/opt/gcc-11"}};

} // namespace

TEST_CASE("tar in any compression and zip give their members, whose names are only data") {
  for (const char* const filter : {"none", "gzip", "xz", "zstd", "bzip2"}) {
    CAPTURE(filter);
    const Unpacked tar = unpacked(test::packed("ustar", filter, files));
    CHECK(tar.troubles.empty());
    CHECK(tar.members == files);
  }
  const Unpacked zip = unpacked(test::packed("zip", "none", {files[0], files[1], files[2]}));
  CHECK(zip.troubles.empty());
  CHECK(zip.members == test::Packed{files[0], files[1], files[2]});
}

TEST_CASE("what is merely compressed is one member without a name, however many streams there are") {
  for (const char* const filter : {"gzip", "xz", "zstd", "bzip2"}) {
    CAPTURE(filter);
    CHECK(unpacked(test::packed("raw", filter, {{"x", "some bytes"}})).members ==
          test::Packed{{"", "some bytes"}});
  }
  CHECK(unpacked(test::gzipped("one ") + test::gzipped("two")).members == test::Packed{{"", "one two"}});
}

TEST_CASE("frames that zstd skips are skipped, also before the first one") {
  using namespace std::string_view_literals;
  const std::string skipped("\x51\x2a\x4d\x18\3\0\0\0abc"sv),
      frame = test::packed("raw", "zstd", {{"", "/opt"}});
  for (const std::string& bytes : {skipped + frame, skipped + skipped + frame + skipped}) {
    const Unpacked all = unpacked(bytes);
    CHECK(all.members == test::Packed{{"", "/opt"}});
    CHECK(all.troubles.empty());
  }
  CHECK_FALSE(unpacked(std::string("\x5f\x2a\x4d\x18\xff\xff\xff\xff"sv)).troubles.empty());
}

TEST_CASE("what begins with zeros is no archive without members") {
  const std::string bytes = std::string(5000, '\0') + "end";
  CHECK(unpacked(test::gzipped(bytes)).members == test::Packed{{"", bytes}});
}

TEST_CASE("nothing at all can be compressed, but not cut") {
  for (const char* const filter : {"gzip", "xz", "zstd", "bzip2"}) {
    const std::string whole = test::packed("raw", filter, {{"x", ""}});
    CAPTURE(filter);
    CHECK(unpacked(whole).troubles.empty());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK_FALSE(unpacked(whole.substr(0, size)).troubles.empty());
    }
  }
}

TEST_CASE("a packed file that is cut or damaged is an error") {
  for (const auto& [format, filter] :
       {std::pair("ustar", "gzip"), std::pair("ustar", "xz"), std::pair("ustar", "zstd"),
        std::pair("raw", "gzip"), std::pair("zip", "none")}) {
    const std::string what = std::string(format) + filter;
    CAPTURE(what);
    const std::string whole = test::packed(format, filter, {files[0]});
    for (const std::size_t size : {std::size_t{10}, whole.size() / 2, whole.size() - 5}) {
      CAPTURE(size);
      CHECK_FALSE(unpacked(whole.substr(0, size)).troubles.empty());
    }
  }
  CHECK_FALSE(unpacked("neither compressed nor an archive").troubles.empty());
}

TEST_CASE("an encrypted member of a zip is an error of its own") {
  std::string zip = test::packed("zip", "none", {{"secret", "content"}, {"open", "content"}});
  zip[6] = static_cast<char>(zip[6] | 1); // in its local header, and in the central directory
  const std::size_t central = zip.find("PK\1\2");
  zip[central + 8] = static_cast<char>(zip[central + 8] | 1);
  const Unpacked all = unpacked(zip);
  CHECK_FALSE(all.troubles.empty());
  CHECK(all.members.back().first == "open");
  CHECK(all.members.back().second == "content");
}

// libarchive unpacks a symlink's target before anybody is asked; what its decoder does not write to takes no
// memory, whatever the header promises.
TEST_CASE("a symlink of a zip is read in little memory, whatever dictionary its target was packed with") {
  const std::string target = "/opt/gcc-11/lib", alone = test::xz_of(target, "lzma", 1U << 20U);
  using namespace std::string_literals;
  // A version, the size of what follows, and the properties, of which the last four are the dictionary: 256
  // MB.
  const std::string data = "\x09\x14\x05\0"s + alone.substr(0, 1) + "\0\0\0\x10"s + alone.substr(13);
  const auto number = [](std::size_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i)
      bytes += static_cast<char>(value >> (8 * i) & 255U);
    return bytes;
  };
  const std::string fields = number(63, 2) + number(2, 2) + number(14, 2) + number(0, 8) +
                             number(data.size(), 4) + number(target.size(), 4) + number(1, 2) + number(0, 2);
  const std::string local = "PK\3\4"s + fields + 'l' + data;
  const std::string central = "PK\1\2"s + number(63 | 3U << 8U, 2) + fields + number(0, 6) +
                              number(0120777U << 16U, 4) + number(0, 4) + 'l';
  const std::string zip = local + central + "PK\5\6"s + number(0, 4) + number(1, 2) + number(1, 2) +
                          number(central.size(), 4) + number(local.size(), 4) + number(0, 2);
  rusage before{}, after{};
  REQUIRE(::getrusage(RUSAGE_SELF, &before) == 0);
  std::string led;
  const auto opened = each_packed_member(binary::Blob(zip), [&](PackedMember& member) {
    led = member.link_target().value_or("none");
    return true;
  });
  REQUIRE(::getrusage(RUSAGE_SELF, &after) == 0);
  CHECK(opened);
  CHECK(led == target);
  CHECK(after.ru_maxrss - before.ru_maxrss < 64 * 1024); // KB
}

TEST_CASE("each stream of an xz file is decompressed, and what follows an lzma file is not passed over") {
  const std::string one = test::xz_of("one ", "xz", 1U << 20U), two = test::xz_of("two", "xz", 1U << 26U);
  const Unpacked xz = unpacked(one + two);
  CHECK(xz.members == test::Packed{{"", "one two"}});
  CHECK(xz.troubles.empty());
  const std::string alone = test::xz_of("one", "lzma", 4096);
  const Unpacked lzma = unpacked(alone + alone);
  CHECK(lzma.members == test::Packed{{"", "one"}});
  CHECK(lzma.troubles == std::vector<std::string>{"it cannot be opened: there is data after its end"});
}

TEST_CASE("an lzma file is decompressed whatever its properties and its dictionary, and not when it is cut") {
  const auto with_dictionary = [](std::string lzma, std::uint32_t size) { // encoders round it up
    for (std::size_t i = 0; i < 4; ++i)
      lzma[1 + i] = static_cast<char>(size >> (8 * i));
    return lzma;
  };
  for (const std::uint32_t dictionary : {100U, 5000U, 1234567U, 3U << 20U, 100U << 20U})
    for (const std::uint32_t bits : {0U, 3U, 4U}) {
      CAPTURE(dictionary);
      const std::string whole = with_dictionary(test::xz_of("some bytes", "lzma", 4096, bits), dictionary);
      const Unpacked all = unpacked(whole);
      CHECK(all.members == test::Packed{{"", "some bytes"}});
      CHECK(all.troubles.empty());
      for (std::size_t size = 14; size < whole.size(); ++size)
        CHECK_FALSE(unpacked(whole.substr(0, size)).troubles.empty());
    }
}

TEST_CASE("headers declare how much a decoder keeps") {
  constexpr std::uint32_t megabyte = 1U << 20U;
  const auto window = [](const std::string& bytes) {
    return declared_window(binary::Blob(bytes)) / megabyte;
  };
  for (const std::uint32_t size : {1U, 8U, 64U}) {
    CHECK(window(test::xz_of("x", "xz", size * megabyte)) == size);
    CHECK(window(test::xz_of("x", "lzma", size * megabyte)) == size);
  }
  const std::string xz = test::xz_of("x", "xz", megabyte);
  for (std::size_t size = 0; size < 24; ++size)
    CHECK(window(xz.substr(0, size)) <= 1);
  CHECK(window(test::packed("raw", "xz", {{"x", ""}})) == 0); // no block
  CHECK(window(test::gzipped("x")) == 0);
  CHECK(window("text") == 0);
}

TEST_CASE("a file that declares a dictionary of more than 1 GB is refused") {
  std::string lzma = test::xz_of("some bytes", "lzma", 4096);
  lzma[4] = '\x7f';
  CHECK(declared_window(binary::Blob(lzma)) > std::uint64_t{1} << 30U);
  CHECK_FALSE(unpacked(lzma).troubles.empty());
}

TEST_CASE("layers of large windows are not opened all at once") {
  for (const char* const kind : {"xz", "lzma"}) {
    const std::string inner = test::xz_of("some bytes", kind, 1U << 20U);
    CHECK(unpacked(test::xz_of(inner, kind, 1U << 20U)).troubles ==
          std::vector<std::string>{"it is compressed more than once by the same method"});
  }
}

namespace {

const std::string needle = "/opt/gcc-11";
constexpr std::size_t many = 600;

/// 3 MB that hardly get smaller, so that decoders hand out pieces of any size, in files with much padding
/// behind them, so that some pieces end in that.
test::Packed random_files() {
  std::mt19937 random(7);
  test::Packed random_ones;
  for (std::size_t i = 0; i < many; ++i) {
    std::string bytes(5130 + i % 50, '\0');
    for (char& c : bytes)
      c = static_cast<char>(random() | 0x80U);
    bytes += '\n';
    bytes += needle;
    bytes += '\n';
    random_ones.emplace_back(std::to_string(i), bytes);
  }
  return random_ones;
}

struct Seen {
  std::size_t files = 0;
  std::vector<std::string> unseen;
};

Seen scanned(const std::string& file) {
  Seen seen;
  scan_tree({file}, NeedleSet::make({needle}).value(), {}, [&](ScannedFile&& one) {
    seen.files += one.found.size();
    for (const Unseen& unseen : one.unseen)
      seen.unseen.push_back(shown(unseen.where).append(" ").append(unseen.reason));
  });
  return seen;
}

} // namespace

TEST_CASE("in a large tar that is compressed each file is scanned or skipped, up to the last one") {
  const test::Tree tree;
  const test::Packed files = random_files();
  for (const std::string filter : {"none", "xz", "zstd", "lzma"}) {
    CAPTURE(filter);
    const bool lzma = filter == "lzma"; // which only its name tells
    const std::string plain = test::packed("ustar", lzma ? "none" : filter, files);
    const std::string tar = lzma ? test::xz_of(plain, "lzma", 1U << 20U) : plain;
    const std::string name = lzma ? "data.tar.lzma" : "data.tar";
    for (const std::string& bytes : {tar, test::ar_archive({{"debian-binary", "2.0\n"}, {name, tar}})}) {
      const Seen seen = scanned(tree.write(bytes == tar ? name : "packed", bytes));
      CHECK(seen.files == many);
      CHECK(seen.unseen == std::vector<std::string>());
    }
    std::size_t told = 0;
    const auto opened = each_packed_member(binary::Blob(tar), [&](const PackedMember& member) {
      told += member.name() == files.at(told).first ? 1U : 0U;
      return true;
    });
    CHECK(opened);
    CHECK(told == many);
  }
}
