// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
std::once_flag once;
bool ready = false;

void wait_for_it() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return ready; });
}
int ask() {
  std::call_once(once, [] { ready = true; });
  std::thread other(wait_for_it);
  other.join();
  return std::async([] { return 3; }).get();
}
