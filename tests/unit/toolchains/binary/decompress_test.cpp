// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/decompress.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <zlib.h>
#include <zstd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;

namespace {

class Text final : public Target {
public:
  explicit Text(std::size_t limit = ~std::size_t{0}) : limit_(limit) {}
  std::span<char> space() override { return space_; }
  bool advance(std::size_t count) override {
    text.append(space_, 0, count);
    return text.size() < limit_;
  }
  std::string text;

private:
  std::string space_ = std::string(1000, '\0');
  std::size_t limit_;
};

std::string zlib_packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                   reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) == Z_OK);
  packed.resize(size);
  return packed;
}

std::string zstd_packed(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string lz4_length(std::size_t length) {
  std::string bytes;
  for (length -= 15; length >= 255; length -= 255)
    bytes += '\xff';
  return bytes + static_cast<char>(length);
}

/// One sequence of LZ4: literals, and a match unless `distance` is 0.
std::string lz4_sequence(const std::string& literals, std::size_t distance, std::size_t length) {
  const std::size_t more = distance == 0 ? 0 : length - 4;
  const auto nibble = [](std::size_t size) { return std::min<std::size_t>(size, 15); };
  std::string bytes(1, static_cast<char>(nibble(literals.size()) << 4U | nibble(more)));
  bytes += literals.size() >= 15 ? lz4_length(literals.size()) : "";
  bytes += literals;
  if (distance != 0) {
    bytes += static_cast<char>(distance & 255U);
    bytes += static_cast<char>(distance >> 8U);
    bytes += more >= 15 ? lz4_length(more) : "";
  }
  return bytes;
}

std::string noise(std::size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  std::string bytes;
  while (bytes.size() < size)
    bytes += random() % 3 == 0 ? std::string("/opt/gcc-11/lib") : std::string(1, static_cast<char>(random()));
  return bytes;
}

} // namespace

TEST_CASE("streams of zlib and zstd are unpacked, one after the other") {
  Inflater inflater;
  for (const std::size_t size : {0U, 1U, 999U, 1000U, 1001U, 700000U}) {
    const std::string bytes = noise(size, 1);
    Text zlib, zstd;
    CHECK(inflater.zlib(Blob(zlib_packed(bytes)), zlib));
    CHECK(zlib.text == bytes);
    CHECK(inflater.zstd(Blob(zstd_packed(bytes)), zstd));
    CHECK(zstd.text == bytes);
  }
}

TEST_CASE("a stream that is cut short or damaged is an error, and the next one is not") {
  Inflater inflater;
  const std::string bytes = noise(5000, 2);
  for (const auto& [packed, unpack] :
       {std::pair(zlib_packed(bytes), &Inflater::zlib), std::pair(zstd_packed(bytes), &Inflater::zstd)}) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, packed.size() / 2, packed.size() - 1}) {
      Text text;
      CHECK_FALSE((inflater.*unpack)(Blob(packed.substr(0, size)), text));
    }
    std::string damaged = packed;
    damaged[0] = '\0';
    Text text, again;
    CHECK_FALSE((inflater.*unpack)(Blob(damaged), text));
    CHECK((inflater.*unpack)(Blob(packed), again));
    CHECK(again.text == bytes);
  }
}

TEST_CASE("unpacking stops when its target wants no more") {
  Inflater inflater;
  const std::string bytes(100000, 'x');
  const std::string lz4 = lz4_sequence("x", 1, bytes.size() - 2) + lz4_sequence("x", 0, 0);
  Text zlib(1500), zstd(1500), block(1500);
  CHECK(inflater.zlib(Blob(zlib_packed(bytes)), zlib));
  CHECK(zlib.text.size() <= 3000);
  CHECK(inflater.zstd(Blob(zstd_packed(bytes)), zstd));
  CHECK(zstd.text.size() <= 3000);
  CHECK(inflater.lz4(Blob(lz4), block));
  CHECK(block.text.size() <= 3000);
}

TEST_CASE(
    "blocks of LZ4 are unpacked: literals, matches that overlap themselves, long lengths, far distances") {
  Inflater inflater;
  std::mt19937 random(3);
  for (unsigned round = 0; round < 40; ++round) {
    std::string expected, packed;
    while (expected.size() < round * 20000) {
      const std::string literals = noise(random() % 400, round);
      expected += literals;
      if (expected.empty())
        continue;
      const std::size_t distance = 1 + random() % std::min<std::size_t>(expected.size(), 65535);
      const std::size_t length = 4 + random() % (random() % 9 == 0 ? 90000 : 40);
      packed += lz4_sequence(literals, distance, length);
      for (std::size_t i = 0; i < length; ++i)
        expected += expected[expected.size() - distance];
    }
    packed += lz4_sequence("end", 0, 0);
    expected += "end";
    Text text;
    REQUIRE(inflater.lz4(Blob(packed), text));
    REQUIRE(text.text == expected);
  }
}

TEST_CASE("a block of LZ4 that is damaged is an error") {
  Inflater inflater;
  Text text;
  CHECK_FALSE(inflater.lz4(Blob(lz4_sequence("abc", 4, 8) + lz4_sequence("x", 0, 0)), text));
  CHECK_FALSE(inflater.lz4(Blob(std::string("\x30"
                                            "abc\0\0\0",
                                            7)),
                           text));
  CHECK_FALSE(inflater.lz4(Blob(std::string()), text));
  const std::string good = lz4_sequence("abcdefghijklmnopqrst", 5, 40) + lz4_sequence("end", 0, 0);
  for (std::size_t size = 1; size < good.size(); ++size)
    if (size != 22) // just behind the first literals, where a block may end
      CHECK_FALSE(inflater.lz4(Blob(good.substr(0, size)), text));
}
