// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/fatbin/pieces.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"

#include <limits>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using namespace hostpin::test;

namespace {

bool is_damaged(const std::string& bytes) {
  return told(bytes).starts_with("!");
}

} // namespace

TEST_CASE("a fatbin that is truncated anywhere is damaged, never a smaller one") {
  const std::string fatbin = fatbin_of({{1, 80, lz4, 20, 99}, {2, 80, 0, 0, 0, "a.cu"}});
  for (std::size_t size = 2; size < fatbin.size(); ++size) {
    CAPTURE(size);
    CHECK(is_damaged(fatbin.substr(0, size)));
  }
  // The headers of sections come last, so that no cut object has all of them.
  const std::string object = ObjectBuilder().add(".nv_fatbin", fatbin).build();
  for (std::size_t size = 2; size < object.size(); ++size) {
    CAPTURE(size);
    CHECK(is_damaged(object.substr(0, size)));
  }
}

TEST_CASE("sizes that lead outside, or overflow, are damage") {
  const std::string good = fatbin_of({{2, 80}, {2, 90}});
  const auto with = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    std::string bad = good;
    put(bad, at, little(value, size));
    return bad;
  };
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t value : {most, most - 15, most - 16, most / 2, std::uint64_t{1} << 32U}) {
    CHECK(is_damaged(with(8, value, 8)));      // of all entries
    CHECK(is_damaged(with(16 + 8, value, 8))); // of a payload
    CHECK(is_damaged(with(16 + 88 + 8, value, 8)));
  }
  for (const std::uint64_t value : {0U, 31U, 0xffffffffU})
    CHECK(is_damaged(with(16 + 4, value, 4)));
  CHECK(is_damaged(with(4, 2, 2)));
  CHECK(is_damaged(with(6, 15, 2)));
  CHECK(is_damaged(good + "something else"));
  CHECK(is_damaged(good + std::string(8192, '\0')));
}

TEST_CASE("sums of sizes in damaged headers do not overflow") {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::string bytes = fatbin_of({{2, 80, zstd, 9, most}, {2, 80, zstd, 9, most}, {2, 90, lz4, 9, 7}});
  const InputFile file(bytes);
  Holding holding;
  REQUIRE(read_device_code(Bytes(file), holding));
  CHECK(holding.unpacked() == most);
  Holding twice = holding;
  twice.add(holding);
  CHECK(twice.unpacked() == most);
  CHECK(twice.bytes() == 2 * holding.bytes());
}

TEST_CASE("names of sources outside their header are ignored") {
  for (const std::uint32_t at : {0x41U, 0x48U, 0xffffffffU, 0x7fffffffU}) {
    std::string bytes = fatbin_of({{2, 80, 0, 0, 0, "name.cu!"}});
    put(bytes, 16 + 0x20, little(at, 4));
    const InputFile file(bytes);
    Holding holding;
    REQUIRE(read_device_code(Bytes(file), holding));
    CHECK(holding.sources.empty());
  }
}
