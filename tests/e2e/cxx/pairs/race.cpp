// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads that share data correctly, and on demand with a race.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

static std::atomic<int> counted;
static std::mutex mutex;
static int guarded;
static int unguarded;

int main(int argc, char**) {
  const auto work = [argc] {
    for (int i = 0; i < 1000; ++i) {
      ++counted;
      if (argc > 1)
        ++unguarded;
      const std::lock_guard<std::mutex> lock(mutex);
      ++guarded;
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  std::printf("sum %d %d\n", counted.load(), unguarded > 2 ? 0 : guarded); // read, or it is optimised away
}
