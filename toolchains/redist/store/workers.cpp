// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/workers.hpp"

#include "toolchains/base/threads.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::redist {

Workers::Workers(std::size_t threads) {
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i) {
    std::thread one = thread_for([this] { run(); });
    if (!one.joinable())
      break;
    threads_.push_back(std::move(one));
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  added_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void Workers::add(Task task) {
  if (threads_.empty()) {
    Then then = task();
    const std::lock_guard lock(mutex_);
    results_.push_back(std::move(then));
    ++active_;
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++active_;
  }
  added_.notify_one();
}

std::size_t Workers::active() const {
  const std::lock_guard lock(mutex_);
  return active_;
}

void Workers::wait(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, most, [this] { return !results_.empty(); });
}

void Workers::take_results() {
  std::vector<Then> results;
  {
    const std::lock_guard lock(mutex_);
    results = std::exchange(results_, {});
  }
  for (const Then& then : results)
    then();
  const std::lock_guard lock(mutex_);
  active_ -= results.size();
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return over_ || !tasks_.empty(); });
    if (over_)
      return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    Then then = task();
    lock.lock();
    results_.push_back(std::move(then));
    ended_.notify_all();
  }
}

} // namespace hostpin::redist
