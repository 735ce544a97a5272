// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scan.hpp"
#include "hooks/leak-check/scan/shared_pieces.hpp"
#include "hooks/leak-check/scan/walk.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// How the work of a scan is shared among threads.

namespace hostpin::leak {

/// Visits files in the order of their numbers, in whatever order they are done.
class InOrder {
public:
  /// Keeps a reference.
  explicit InOrder(const ScanVisitor& visit) : visit_(visit) {}

  /// Whether the file of that number may be begun: at most `most_waiting` wait for a slow one.
  bool has_room(std::uint64_t number) const { return number < next_.load() + most_waiting; }

  /// Never waits: if another thread is visiting, that one visits this file too.
  void add(std::uint64_t number, ScannedFile&& file) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(number, std::move(file));
    if (visiting_)
      return;
    visiting_ = true;
    while (!waiting_.empty() && waiting_.begin()->first == next_.load()) {
      ScannedFile next = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      visit_(std::move(next));
      lock.lock();
      ++next_;
    }
    visiting_ = false;
  }

private:
  static constexpr std::uint64_t most_waiting = 256;

  const ScanVisitor& visit_;
  std::mutex mutex_;
  bool visiting_ = false; ///< a thread is in `visit_`, or about to call it
  std::map<std::uint64_t, ScannedFile> waiting_;
  std::atomic<std::uint64_t> next_ = 0;
};

/// A thread's next task: a file of the walk, or to help with the pieces of a large one.
struct Task {
  std::uint64_t number = 0;
  std::optional<WalkEntry> entry;
  std::shared_ptr<SharedPieces> pieces;
};

/// Shares the work among threads. Pieces come before other files, and no file is begun that is too far
/// ahead of those that were visited, so that the number of waiting results is bounded.
class Work final : public Crew {
public:
  Work(const std::vector<std::string>& roots, const ScanOptions& options, const ScanVisitor& visit)
      : walk_(roots, options.below), threads_(options.threads), in_order_(visit) {}

  /// What shares the pieces of a file; nullptr if there is only one thread.
  Crew* crew() { return threads_ > 1 ? this : nullptr; }

  /// Held by the only file whose decoders may have large windows.
  std::mutex& large_windows() { return large_windows_; }

  /// Nothing at the end. Call `done` after each task.
  std::optional<Task> take() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (!pieces_.empty()) {
        Task task{0, std::nullopt, std::move(pieces_.front())};
        pieces_.pop_front();
        ++busy_;
        return task;
      }
      if (in_order_.has_room(next_number_)) {
        walk_on();
        if (!entries_.empty()) {
          Task task{next_number_++, std::move(entries_.front()), {}};
          entries_.pop_front();
          ++busy_;
          return task;
        }
      }
      if (walked_ && entries_.empty() && busy_ == 0) {
        changed_.notify_all();
        return std::nullopt;
      }
      changed_.wait(lock);
    }
  }

  void done() {
    const std::lock_guard lock(mutex_);
    --busy_;
    changed_.notify_all();
  }

  void share(const std::shared_ptr<SharedPieces>& pieces) override {
    const std::lock_guard lock(mutex_);
    pieces_.insert(pieces_.end(), std::min<std::size_t>(pieces->count(), threads_) - 1, pieces);
    changed_.notify_all();
  }

  /// The file of that number is scanned.
  void add(std::uint64_t number, ScannedFile&& file) { in_order_.add(number, std::move(file)); }

private:
  /// Reads entries if there are none: several at a time, because other threads wait meanwhile, and putting
  /// one to sleep and waking it takes longer than most files.
  void walk_on() {
    constexpr std::size_t at_once = 32;
    if (!entries_.empty())
      return;
    while (!walked_ && entries_.size() < at_once) {
      auto entry = walk_.next();
      walked_ = !entry.has_value();
      if (!walked_)
        entries_.push_back(*std::move(entry));
    }
  }

  std::mutex mutex_, large_windows_;
  std::condition_variable changed_;
  Walk walk_;
  std::deque<WalkEntry> entries_; ///< the next ones of the walk
  bool walked_ = false;           ///< the walk is at its end
  std::uint64_t next_number_ = 0;
  unsigned busy_ = 0;                                ///< tasks that were taken and not done
  std::deque<std::shared_ptr<SharedPieces>> pieces_; ///< once for each thread that may help
  std::size_t threads_;
  InOrder in_order_;
};

} // namespace hostpin::leak
