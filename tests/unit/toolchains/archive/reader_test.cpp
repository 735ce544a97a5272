// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/reader.hpp"

#include <cstdio>
#include <limits>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::string next(BlobFeed& feed) {
  const auto bytes = feed.next();
  REQUIRE(bytes);
  return {bytes->begin(), bytes->end()};
}

} // namespace

TEST_CASE("a feed skips and seeks within its blob, whatever libarchive asks for") {
  BlobFeed feed{binary::Blob(std::string("0123456789"))};
  CHECK(feed.skip(4) == 4);
  CHECK(feed.skip(-1) == 0);
  CHECK(next(feed) == "456789");
  CHECK(next(feed).empty());
  CHECK(feed.skip(1) == 0);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min();
  struct Case {
    std::int64_t offset;
    int whence;
    std::int64_t wanted;
  };
  for (const auto& [offset, whence, wanted] :
       {Case{3, SEEK_SET, 3}, Case{2, SEEK_CUR, 5}, Case{-1, SEEK_END, 9}, Case{most, SEEK_CUR, 10},
        Case{least, SEEK_END, 0}, Case{-1, SEEK_SET, 0}})
    CHECK(feed.seek(offset, whence) == wanted);
  CHECK(feed.seek(-2, SEEK_END) == 8);
  CHECK(next(feed) == "89");
}

TEST_CASE("only the first piece is changed") {
  BlobFeed feed(binary::Blob(std::string(std::size_t{100} << 10U, 'a')),
                [](std::span<char> bytes) { bytes.front() = 'b'; });
  CHECK(next(feed).front() == 'b');
  CHECK(next(feed).front() == 'a');
  CHECK_FALSE(feed.trouble());
}
