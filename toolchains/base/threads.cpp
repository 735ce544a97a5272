// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/threads.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace hostpin {

std::thread thread_for(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error&) {
    return {};
  }
}

unsigned processor_threads() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
}

void run_in_threads(std::size_t count, const std::function<void()>& work) {
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < count; ++i)
      others.emplace_back(work);
  } catch (const std::system_error&) {
    // Those that there are do the work.
  }
  work();
}

Ticker::Ticker(std::function<void()> work, Time patience, Time pause)
    : thread_(thread_for([this, work = std::move(work), patience, pause] {
        std::unique_lock lock(mutex_);
        for (Time time = patience; !ended_.wait_for(lock, time, [this] { return over_; }); time = pause)
          work();
      })) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

} // namespace hostpin
