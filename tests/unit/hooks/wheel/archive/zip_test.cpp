// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/archive/packing.hpp"
#include "toolchains/archive/zip.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::wheel;

namespace {

/// Names and contents of all members, or the error.
Result<test::Packed> content(const std::string& zip) {
  auto reader = ZipReader::open(binary::Blob(zip));
  if (!reader)
    return tl::unexpected(reader.error());
  test::Packed members;
  for (;;) {
    auto entry = (*reader)->next();
    if (!entry)
      return tl::unexpected(entry.error());
    if (!*entry)
      return members;
    std::vector<char> piece(7);
    std::string bytes;
    for (;;) {
      const auto count = (*reader)->read(piece);
      if (!count)
        return tl::unexpected(count.error());
      if (*count == 0)
        break;
      bytes.append(piece.data(), *count);
    }
    members.emplace_back((*entry)->name, bytes);
  }
}

} // namespace

TEST_CASE("members are read in order, stored and compressed") {
  const test::Packed members = {{"a/b.txt", std::string(1000, 'x')}, {"c", ""}};
  for (const char* const format : {"zip", "stored zip"}) {
    const auto read = content(test::packed(format, "none", members));
    REQUIRE(read);
    CHECK(*read == members);
  }
}

TEST_CASE("a changed byte is noticed by the CRC") {
  std::string zip = test::packed("stored zip", "none", {{"a", "0123456789"}});
  zip.replace(zip.find("0123456789"), 1, "9");
  CHECK_FALSE(content(zip));
}

TEST_CASE("a zip without its end, and what is no zip, is refused") {
  const std::string zip = test::packed("zip", "none", {{"a", "text"}});
  for (const std::string& bytes : {zip.substr(0, zip.size() - 30), std::string("PK"), std::string()})
    CHECK_FALSE(central_directory(binary::Blob(bytes)));
}

TEST_CASE("links are refused") {
  std::string zip = test::packed("zip", "none", {{"link", "target"}});
  const std::size_t entry = zip.rfind("PK\1\2");
  zip[entry + 5] = 3;       // made on Unix
  zip[entry + 41] = '\xa0'; // S_IFLNK
  CHECK_FALSE(content(zip));
}

TEST_CASE("names that lead elsewhere are refused") {
  for (const char* const name : {"../a", "a/../b", "/a", "a//b", "a\\b", "./a", "..", "a\nb"}) {
    CAPTURE(name);
    CHECK_FALSE(is_installable_name(name));
    CHECK_FALSE(central_directory(binary::Blob(test::packed("zip", "none", {{name, "x"}}))));
  }
  for (const char* const name : {"a", "a/", "a..b/c", ".a/..b"})
    CHECK(is_installable_name(name));
}

TEST_CASE("the central directory has the members in the order of the file") {
  const std::string zip = test::packed("stored zip", "none", {{"a", "1"}, {"b/c", "22"}});
  const auto entries = central_directory(binary::Blob(zip));
  REQUIRE(entries);
  REQUIRE(entries->size() == 2);
  CHECK((*entries)[0].name == "a");
  CHECK((*entries)[1].name == "b/c");
  CHECK((*entries)[1].size == 2);
  CHECK_FALSE(central_directory(binary::Blob(std::string("no zip"))));
}

TEST_CASE("members that overlap, or a directory that has another number of them, are refused") {
  const std::string zip = test::packed("zip", "none", {{"a", "1"}, {"b", "2"}});
  const std::size_t last = zip.rfind("PK\1\2"), end = zip.rfind("PK\5\6");
  std::string overlapping = zip;
  overlapping.replace(last + 42, 4, std::string(4, '\0')); // both begin at 0
  CHECK_FALSE(central_directory(binary::Blob(overlapping)));
  std::string fewer = zip;
  fewer[end + 10] = 1;
  CHECK_FALSE(central_directory(binary::Blob(fewer)));
}

TEST_CASE("a member whose own header has another name or method than the directory is refused") {
  const std::string zip = test::packed("zip", "none", {{"a", "1"}});
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{26}, std::size_t{30}}) {
    std::string changed = zip;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CAPTURE(at);
    CHECK_FALSE(central_directory(binary::Blob(changed)));
  }
}

TEST_CASE("a directory that is not directly in front of its end record is refused") {
  const std::string zip = test::packed("zip", "none", {{"a", "text"}});
  const std::size_t directory = zip.rfind("PK\1\2"), end = zip.rfind("PK\5\6");
  // Python reads the second one.
  const std::string two = zip.substr(0, end) + zip.substr(directory, end - directory) + zip.substr(end);
  REQUIRE(central_directory(binary::Blob(zip)));
  CHECK_FALSE(central_directory(binary::Blob(two)));
}

TEST_CASE("a member with another name in an extra field is refused") {
  const auto with_name = [](const std::string& name) {
    std::string zip = test::packed("zip", "none", {{"a", "text"}});
    const std::size_t directory = zip.rfind("PK\1\2"), end = zip.rfind("PK\5\6");
    std::string header = zip.substr(directory, 46), extra = "up";
    extra += static_cast<char>(5 + name.size());
    extra += std::string("\0\1crc ", 6) + name;
    header[30] = static_cast<char>(extra.size());
    const std::string entry = header + 'a' + extra;
    std::string record = zip.substr(end);
    record[12] = static_cast<char>(entry.size());
    return zip.substr(0, directory) + entry + record;
  };
  CHECK(central_directory(binary::Blob(with_name("a"))));
  CHECK_FALSE(central_directory(binary::Blob(with_name("b"))));
}
