// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scan.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace hostpin {

/// Tells files in the order of their numbers, whatever the order in which they are done.
class Turns {
public:
  /// Keeps a reference.
  explicit Turns(const ScanVisitor& visit) : visit_(visit) {}

  /// Whether the file of that number may be begun: few wait for one that takes long.
  bool has_room(std::uint64_t number) const { return number < told_.load() + most_waiting; }

  /// Never waits: while another thread tells, it goes on with this one too.
  void tell(std::uint64_t number, ScannedFile&& file) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(number, std::move(file));
    if (telling_)
      return;
    telling_ = true;
    while (!waiting_.empty() && waiting_.begin()->first == told_.load()) {
      ScannedFile next = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      visit_(std::move(next));
      lock.lock();
      ++told_;
    }
    telling_ = false;
  }

private:
  static constexpr std::uint64_t most_waiting = 256;

  const ScanVisitor& visit_;
  std::mutex mutex_;
  bool telling_ = false; ///< a thread is within `visit_`, or on its way
  std::map<std::uint64_t, ScannedFile> waiting_;
  std::atomic<std::uint64_t> told_ = 0;
};

} // namespace hostpin
