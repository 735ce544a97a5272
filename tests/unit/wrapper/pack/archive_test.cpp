// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/pack/archive.hpp"

#include <doctest/doctest.h>

using namespace hostpin::pack;

namespace {

TarHead file(std::string path) {
  TarHead head;
  head.path = std::move(path);
  head.permissions = 0644;
  head.size = 5;
  head.seconds = 1'700'000'000;
  return head;
}

/// The checksum of a header: the sum of its bytes, with blanks in place of the checksum.
std::string sum_of(std::string block) {
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block)
    sum += static_cast<unsigned char>(c);
  std::string digits;
  for (int i = 0; i < 6; ++i, sum /= 8)
    digits.insert(digits.begin(), static_cast<char>('0' + sum % 8));
  return digits;
}

} // namespace

TEST_CASE("a short entry is one header with a right sum") {
  const std::string head = tar_head(file("usr/bin/g++"));
  REQUIRE(head.size() == tar_block);
  CHECK(head.starts_with(std::string("usr/bin/g++\0", 12)));
  CHECK(head.substr(100, 8) == std::string("0000644\0", 8));
  CHECK(head.substr(124, 12) == std::string("00000000005\0", 12));
  CHECK(head.substr(136, 12) == std::string("14524770400\0", 12));
  CHECK(head.substr(257, 8) == std::string("ustar\00000", 8));
  CHECK(head.substr(148, 6) == sum_of(head));
}

TEST_CASE("what a header is too narrow for comes before it") {
  TarHead head = file(std::string(150, 'p'));
  head.kind = TarHead::Kind::link;
  head.target = std::string(120, 't');
  head.nanoseconds = 42;
  const std::string bytes = tar_head(head);
  REQUIRE(bytes.size() == 3 * tar_block);
  CHECK(bytes[156] == 'x');
  CHECK(bytes.find("160 path=" + head.path + '\n') != std::string::npos);
  CHECK(bytes.find("134 linkpath=" + head.target + '\n') != std::string::npos);
  CHECK(bytes.find("30 mtime=1700000000.000000042\n") != std::string::npos);
  CHECK(bytes[2 * tar_block + 156] == '2');
}

TEST_CASE("a record's length counts its own digits") {
  // 99 and 101 characters: a record of 100 is impossible
  for (const std::size_t length : {101U, 102U, 986U, 987U, 988U, 989U}) {
    const std::string path(length, 'p');
    const std::string bytes = tar_head(file(path));
    const std::size_t blank = bytes.find(' ', tar_block);
    const std::string record = bytes.substr(tar_block, std::stoul(bytes.substr(tar_block, blank)));
    CHECK(record.ends_with("path=" + path + '\n'));
  }
}

TEST_CASE("contents end on a block") {
  CHECK(tar_padding(0).empty());
  CHECK(tar_padding(1).size() == 511);
  CHECK(tar_padding(512).empty());
  CHECK(tar_end() == std::string(1024, '\0'));
}
