// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/memory.hpp"

#include <atomic>
#include <thread>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace std::string_view_literals;

namespace {

constexpr std::uint64_t megabyte = std::uint64_t{1} << 20U;

} // namespace

TEST_CASE("memory is held for as long as its decoder lives, and what is nested shares it") {
  Memory memory(100 * megabyte);
  Hold outer(memory);
  CHECK(outer.reach(64 * megabyte).has_value());
  {
    Hold inner(memory);
    CHECK(inner.reach(36 * megabyte).has_value());
    CHECK(memory.left() == 0);
    CHECK(inner.reach(1).has_value()); // it has more
    const auto more = inner.reach(36 * megabyte + 1);
    REQUIRE_FALSE(more);
    CHECK(more.error().message ==
          "unpacking it takes 37M of memory beside 64M for what it lies in; --memory 101M allows that");
  }
  CHECK(memory.left() == 36 * megabyte);
  CHECK(outer.reach(100 * megabyte).has_value());
  CHECK(outer.reach(101 * megabyte).error().message ==
        "unpacking it takes 101M of memory; --memory 101M allows that");
}

TEST_CASE(
    "files that are unpacked at one time share the memory, and one that needs more waits for all of it") {
  SharedMemory shared(40 * megabyte, 2);
  CHECK(shared.share() == 20 * megabyte);
  CHECK(SharedMemory(40 * megabyte, 16).share() == 10 * megabyte); // fewer at a time, for each to have enough
  CHECK(SharedMemory(megabyte, 16).share() == megabyte);
  std::atomic<bool> released = false;
  std::thread other;
  {
    Memory first(shared, false), second(shared, false);
    Hold one(first), two(second);
    CHECK(one.reach(20 * megabyte));
    CHECK(two.reach(megabyte));
    CHECK_FALSE(two.reach(41 * megabyte));
    CHECK_FALSE(second.wants_all()); // that much there is for nobody
    CHECK_FALSE(two.reach(40 * megabyte));
    CHECK(second.wants_all());
    CHECK_FALSE(first.wants_all());
    other = std::thread([&] {
      Memory alone(shared, true);
      Hold hold(alone);
      const bool held = hold.reach(40 * megabyte).has_value();
      CHECK(released.load());
      CHECK(held);
    });
    released = true;
  }
  other.join();
  Memory last(shared, false);
  Hold hold(last);
  CHECK(hold.reach(20 * megabyte));
}

TEST_CASE("what is told of a file counts beside what its decoders keep") {
  Memory memory(10 * megabyte);
  Hold hold(memory);
  CHECK(hold.reach(4 * megabyte));
  memory.tell(5 * megabyte);
  CHECK(memory.left() == megabyte);
  CHECK_FALSE(hold.reach(6 * megabyte));
  memory.tell(100 * megabyte);
  CHECK(memory.left() == 0);
}

TEST_CASE("no size is too large to be told") {
  CHECK(memory_text(0) == "0M");
  CHECK(memory_text(1) == "1M");
  CHECK(memory_text(megabyte) == "1M");
  CHECK(memory_text(megabyte + 1) == "2M");
  CHECK(memory_text(~std::uint64_t{0}) == "17592186044416M");
  Memory memory(megabyte);
  Hold hold(memory);
  CHECK(hold.reach(~std::uint64_t{0}).error().message ==
        "unpacking it takes 17592186044416M of memory, which no decoder has");
}

TEST_CASE("the header of a frame of zstd tells its window") {
  CHECK(zstd_window("\x28\xb5\x2f\xfd\4\x88"sv) == 128 * megabyte); // --long=27
  CHECK(zstd_window("\x28\xb5\x2f\xfd\x24\x10"sv) == 16);           // as long as it is
  CHECK(zstd_window("\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\xff"sv) == ~std::uint64_t{0});
  CHECK(zstd_window("\x28\xb5\x2f"sv) == 0);
  CHECK(zstd_window("text"sv) == 0);
}

TEST_CASE("a member of a zip tells what its decoder keeps") {
  CHECK(zip_window("lzma", "\x10\2\5\0\x5d\0\0\0\4"sv) == 64 * megabyte);
  CHECK(zip_window("lzma", "\x10\2\5\0\x5d"sv) == 0); // cut
  CHECK(zip_window("ppmd-1", "\xf5\x0f"sv) == 256 * megabyte);
  CHECK(zip_window("ppmd-1", "\x05\x01"sv) == 17 * megabyte);
  CHECK(zip_window("deflation", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv) == 0);
}
