// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

namespace hostpin {

/// A thread that runs `work`; a thread that is not joinable where the system has none left (limits of
/// processes or memory, as in containers).
std::thread thread_for(std::function<void()> work);

/// How many threads keep the processors of this process busy, 16 at most; at least 1.
unsigned processor_threads();

/// Runs `work` in `count` threads, the caller's among them, until all have returned; in fewer where the
/// system has none left, so that each has to take what is still to be done. `count` 0 is 1.
void run_in_threads(std::size_t count, const std::function<void()>& work);

/// Calls `work` in a thread again and again for as long as this object lives: first after `patience`, then
/// with `pause` between two calls. Without a thread, where the system has none left, it is not called.
class Ticker {
public:
  using Time = std::chrono::milliseconds;
  Ticker(std::function<void()> work, Time patience, Time pause);
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  /// Waits for a call that has begun.
  ~Ticker();

private:
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::thread thread_;
};

} // namespace hostpin
