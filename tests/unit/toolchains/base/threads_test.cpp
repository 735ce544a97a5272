// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/no_threads.hpp"
#include "toolchains/base/threads.hpp"

#include <atomic>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

int calls(std::size_t threads) {
  std::atomic<int> count = 0;
  run_in_threads(threads, [&] { ++count; });
  return count;
}

} // namespace

TEST_CASE("work is done by as many threads as are wanted") {
  CHECK(calls(3) == 3);
  CHECK(calls(1) == 1);
  CHECK(calls(0) == 1);
  std::atomic<bool> is_done = false;
  std::thread thread = thread_for([&] { is_done = true; });
  REQUIRE(thread.joinable());
  thread.join();
  CHECK(is_done);
}

TEST_CASE("a ticker calls until it is destroyed") {
  std::atomic<int> count = 0;
  {
    const Ticker ticker([&] { count.fetch_add(1), count.notify_all(); }, Ticker::Time(0), Ticker::Time(1));
    for (int seen = 0; (seen = count) < 3;)
      count.wait(seen);
  }
  const int after = count;
  CHECK(count == after);
  const Ticker patient([&] { FAIL("nobody waits so long"); }, std::chrono::hours(24), Ticker::Time(1));
}

TEST_CASE("where no thread can be made the caller's does the work") {
  const test::NoThreads none;
  CHECK(calls(3) == 1);
  CHECK_FALSE(thread_for([] {}).joinable());
}
