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

  /// Whether the file of that number may be begun: few wait for one that takes long, in little memory.
  bool has_room(std::uint64_t number) const {
    return number < told_.load() + most_waiting && bytes_.load() < most_bytes;
  }
  /// The number of the file that is told next.
  std::uint64_t next() const { return told_.load(); }

  /// Never waits: while another thread tells, it goes on with this one too. `bytes`: memory that it takes.
  void tell(std::uint64_t number, ScannedFile&& file, std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(number, std::pair(std::move(file), bytes));
    bytes_ += bytes;
    if (telling_)
      return;
    telling_ = true;
    while (!waiting_.empty() && waiting_.begin()->first == told_.load()) {
      auto [next, size] = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      visit_(std::move(next));
      lock.lock();
      bytes_ -= size;
      ++told_;
    }
    telling_ = false;
  }

private:
  static constexpr std::uint64_t most_waiting = 256;
  static constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20U;

  const ScanVisitor& visit_;
  std::mutex mutex_;
  bool telling_ = false; ///< a thread is within `visit_`, or on its way
  std::map<std::uint64_t, std::pair<ScannedFile, std::uint64_t>> waiting_;
  std::atomic<std::uint64_t> told_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0; ///< of those that wait, and of the one that is told
};

} // namespace hostpin
