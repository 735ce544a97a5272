// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/compress.hpp"
#include "toolchains/binary/decompress.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;

namespace {

class Whole final : public Target {
public:
  std::span<char> space() override { return space_; }
  bool advance(std::size_t count) override {
    text.append(space_, 0, count);
    return true;
  }
  std::string text;

private:
  std::string space_ = std::string(1000, '\0');
};

std::string from_lz4(const std::string& block) {
  Whole text;
  REQUIRE(Inflater().lz4(Blob(block), text));
  return text.text;
}

/// Bytes of few different values, so that matches of all lengths and distances occur.
std::string bytes_of(std::size_t size, unsigned values, std::mt19937& random) {
  std::string bytes(size, '\0');
  for (char& each : bytes)
    each = static_cast<char>(random() % values);
  return bytes;
}

} // namespace

TEST_CASE("what is compressed as LZ4 decompresses to the same bytes") {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 64; ++size)
    CHECK(from_lz4(lz4_block(std::string(size, 'a'))) == std::string(size, 'a'));
  for (const unsigned values : {1U, 2U, 3U, 16U, 256U})
    for (const std::size_t size : {5U, 13U, 270U, 4096U, 70000U, 300000U}) {
      const std::string bytes = bytes_of(size, values, random);
      CHECK(from_lz4(lz4_block(bytes)) == bytes);
    }
  const std::string far = bytes_of(70000, 256, random);
  CHECK(from_lz4(lz4_block(far + far.substr(0, 20000))) == far + far.substr(0, 20000));
}

TEST_CASE("an LZ4 block ends with five literals, and repetition becomes shorter") {
  const std::string block = lz4_block(std::string(1000, 'a') + "12345");
  CHECK(block.size() < 20);
  CHECK(block.ends_with("12345"));
  CHECK(lz4_block("") == std::string(1, '\0'));
}

TEST_CASE("what is compressed as zstd decompresses to the same bytes") {
  std::mt19937 random(2);
  for (const int level : {1, 5, 19}) {
    const std::string bytes = bytes_of(100000, 3, random);
    Whole text;
    REQUIRE(Inflater().zstd(Blob(*zstd_frame(bytes, level)), text));
    CHECK(text.text == bytes);
  }
}
