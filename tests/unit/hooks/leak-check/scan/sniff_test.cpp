// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/sniff.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

TEST_CASE("files are told apart by their first bytes") {
  const test::Packed one = {{"x", "some content"}};
  const std::string old_tar = [&] {
    std::string tar = test::packed("ustar", "none", one).substr(0, 512);
    tar.replace(257, 8, 8, '\0');
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i)
      sum += i >= 148 && i < 156 ? 32U : static_cast<unsigned char>(tar[i]);
    std::string digits = "000000";
    for (std::size_t i = 6; i-- > 0; sum /= 8)
      digits[i] = static_cast<char>('0' + sum % 8);
    tar.replace(148, 8, digits + std::string("\0 ", 2));
    return tar;
  }();
  struct Row {
    std::string bytes;
    Content content;
    const char* format;
  };
  const Row rows[] = {
      {test::object_with(".x", "", 0), Content::elf, ""},
      {test::ar_archive(one), Content::static_archive, ""},
      {"!<thin>\n", Content::static_archive, ""},
      {test::gzipped("x"), Content::packed, "gzip"},
      {test::packed("raw", "xz", one), Content::packed, "xz"},
      {test::packed("raw", "zstd", one), Content::packed, "zstd"},
      {test::packed("raw", "bzip2", one), Content::packed, "bzip2"},
      {test::packed("zip", "none", one), Content::packed, "zip"},
      {test::packed("ustar", "none", one), Content::packed, "tar"},
      {std::string("\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0", 14), Content::packed, "lzma"},
      {std::string("\x5d\0\0\x60\0\5\0\0\0\0\0\0\0\0", 14), Content::packed, "lzma"},
      {std::string("\x5d\0\0\x70\0\5\0\0\0\0\0\0\0\0", 14), Content::other, ""}, // no encoder's dictionary
      {std::string("\x5d\0\0\x80\0\5\0\0\0\0\0\0\1\0", 14), Content::other, ""}, // longer than anything
      {std::string("\x64\0\0\x71\0\xff\xff\xff\xff\xff\xff\xff\xff\0", 14), Content::packed, "lzma"},
      {std::string("\xe1\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0", 14), Content::other,
       ""},                                                                      // no properties
      {std::string("\x5d\0\0\x80\0\5\0\0\0\0\0\0\0\1", 14), Content::other, ""}, // begins with no 0
      {"\x5e\x2a\x4d\x18 pzstd", Content::packed, "zstd"},
      {old_tar, Content::packed, "tar"},
      {"7z\xbc\xaf\x27\x1c", Content::closed, "7-Zip"},
      {"\x04\x22\x4d\x18 lz4", Content::closed, "lz4"},
      {"#!/bin/sh\n", Content::script, ""},
      {"plain text", Content::other, ""},
      {std::string(600, '\0'), Content::other, ""},
      {"", Content::other, ""},
      {"\x7f", Content::other, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.format);
    const Sniffed sniffed = sniff(std::string_view(row.bytes).substr(0, sniffed_bytes));
    CHECK(sniffed.content == row.content);
    CHECK(sniffed.format == row.format);
  }
}

TEST_CASE("a name tells the older format of xz where the bytes alone do not") {
  const std::string bytes("\x64\0\0\x71\0\5\0\0\0\0\0\0\0\0", 14);
  CHECK(sniff(bytes).content == Content::other);
  CHECK(sniff(bytes, "doc/x.gz").content == Content::other);
  CHECK(sniff(bytes, "doc/x.lzma").format == "lzma");
  CHECK(sniff("no such thing", "x.lzma").content == Content::other);
}
