// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/elf.hpp"

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;

namespace {

Blob file_blob(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  return Blob(std::make_shared<const OpenFile>(descriptor), std::filesystem::file_size(path));
}

} // namespace

TEST_CASE("a part of a blob ends where the blob ends") {
  const test::Tree tree;
  for (const Blob& blob : {Blob("0123456789"), file_blob(tree.write("digits", "0123456789"))}) {
    CHECK(blob.part(2, 3).all(10).value() == "234");
    CHECK(blob.part(2, 3).part(1, 100).all(10).value() == "34");
    CHECK(blob.part(8, 100).size() == 2);
    CHECK(blob.part(20, 5).size() == 0);
    CHECK(blob.part(5, ~0ULL).beginning(3) == "567");
    CHECK_FALSE(blob.all(9));
  }
}

TEST_CASE("a blob of parts reads as their bytes one after another, and changes with them") {
  const test::Tree tree;
  const std::string path = tree.write("digits", "0123456789");
  const Blob file = file_blob(path);
  const Blob blob(
      {file.part(7, 3), Blob("ab"), Blob(), file.part(0, 2), Blob(std::vector<Blob>{Blob("c"), Blob("de")})});
  CHECK(blob.size() == 10);
  CHECK(blob.all(10).value() == "789ab01cde");
  for (std::uint64_t at = 0; at <= 10; ++at)
    CHECK(blob.part(at, 4).all(10).value() == std::string("789ab01cde").substr(at, 4));
  CHECK(blob.part(2, 6).part(1, 3).all(10).value() == "ab0");
  CHECK_FALSE(blob.in_memory());
  CHECK_FALSE(blob.has_changed());
  tree.write("digits", "9");
  CHECK(blob.has_changed());
  CHECK_FALSE(blob.all(10));
  CHECK(Blob(std::vector<Blob>()).all(1).value().empty());
}

TEST_CASE("a file that becomes shorter is an error where its bytes are missing, and a change") {
  const test::Tree tree;
  const std::string path = tree.write("file", std::string(100000, 'x'));
  const Blob blob = file_blob(path);
  CHECK_FALSE(blob.has_changed());
  std::filesystem::resize_file(path, 50000);
  std::string bytes(60000, '\0');
  const auto count = blob.read(0, bytes);
  REQUIRE_FALSE(count);
  CHECK(count.error().message.find("truncated") != std::string::npos);
  CHECK(blob.read(0, std::span<char>(bytes).first(40000)).value() == 40000);
  CHECK(blob.has_changed());
}

TEST_CASE("a source gives what memory gives, for every range and every ELF file") {
  std::string bytes;
  for (unsigned i = 0; i < 70000; ++i)
    bytes += static_cast<char>(i * 7 + i / 256);
  const BlobSource source{Blob(bytes)};
  for (const std::uint64_t offset : {0U, 1U, 16383U, 16384U, 30000U, 69990U, 69999U, 70000U, 70001U})
    for (const std::uint64_t size : {0ULL, 1ULL, 8ULL, 16384ULL, 20000ULL, ~0ULL}) {
      const bool is_inside = offset <= bytes.size() && size <= bytes.size() - offset;
      const auto slice = source.slice(offset, size);
      REQUIRE(slice.has_value() == is_inside);
      if (slice)
        CHECK(*slice == std::string_view(bytes).substr(offset, size));
    }
  for (const bool wide : {false, true})
    for (const bool little : {false, true}) {
      const std::string elf = test::ElfBuilder(wide, little)
                                  .build("liba.so", {"V_1"}, {{"libb.so", {"V_2"}}, {"libc.so", {"C_1"}}});
      const auto image = read_image(BlobSource{Blob(elf)});
      REQUIRE(image);
      REQUIRE(*image);
      CHECK((*image)->soname == "liba.so");
      CHECK((*image)->needed == read_image(elf).value()->needed);
      CHECK((*image)->version_definitions == std::vector<std::string>{"V_1"});
      for (std::size_t size = 0; size < elf.size(); ++size)
        CHECK(read_image(BlobSource{Blob(elf.substr(0, size))}).has_value() ==
              read_image(std::string_view(elf).substr(0, size)).has_value());
    }
}

TEST_CASE("a source gives no more than its budget and says so") {
  const BlobSource source(Blob(std::string(100000, 'x')), 40000);
  CHECK(source.slice(0, 30000));
  CHECK(source.trouble().empty());
  CHECK_FALSE(source.slice(50000, 30000));
  CHECK_FALSE(source.trouble().empty());
}

TEST_CASE("a scratch file can be written and read and has no name") {
  const test::Tree tree;
  const auto scratch = open_scratch(tree.root());
  REQUIRE(scratch);
  CHECK(::write((*scratch)->descriptor(), "abc", 3) == 3);
  CHECK(Blob(*scratch, 3).all(10).value() == "abc");
  CHECK(std::filesystem::is_empty(tree.root()));
  CHECK_FALSE(open_scratch(tree.path("absent")));
}

TEST_CASE("numbers of any size are read in either byte order, and none past the end") {
  const std::string bytes = "\x01\x82\x03\x84\x05\x86\x07\x88\x09";
  const ElfBytes little(bytes, true, true), big(bytes, false, false);
  std::uint64_t expected_little = 0, expected_big = 0;
  for (std::size_t size = 1; size <= 8; ++size) {
    const auto last = static_cast<unsigned char>(bytes[size]);
    expected_little |= std::uint64_t{last} << (8 * (size - 1));
    expected_big = expected_big << 8U | last;
    CHECK(little.number(1, size) == expected_little);
    CHECK(big.number(1, size) == expected_big);
    CHECK_FALSE(little.number(bytes.size() - size + 1, size));
    CHECK_FALSE(big.number(~std::uint64_t{0}, size));
  }
  CHECK(little.word(0) == 0x8807860584038201U);
  CHECK(big.word(0) == 0x01820384U);
}
