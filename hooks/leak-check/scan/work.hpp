// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/file_scan.hpp"
#include "hooks/leak-check/scan/told.hpp"
#include "hooks/leak-check/scan/turns.hpp"
#include "hooks/leak-check/walk/walk.hpp"

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

namespace hostpin {

/// One file between its parts of work, which may be done by several threads.
struct FileWork {
  FileWork(std::uint64_t number_, ScannedFile&& file_, Subject&& subject_, std::size_t segments,
           std::size_t most_kinds)
      : number(number_), file(std::move(file_)), subject(std::move(subject_)),
        gleaned(segments, Gleaned(most_kinds)), troubles(segments), left(segments) {}

  std::uint64_t number;
  ScannedFile file;
  Subject subject;
  std::vector<Gleaned> gleaned; ///< of each segment
  std::vector<std::optional<Error>> troubles;
  std::atomic<std::size_t> left;
};

struct Segment {
  std::shared_ptr<FileWork> work;
  std::size_t index = 0;
};

/// A file that is scanned again, alone.
struct Again {
  ScannedFile file; ///< what is known of it without its content
  Blob blob;
};

/// What a thread does next: a file of the walk, one that needs more memory than the others leave, or a
/// segment of a large one.
struct Task {
  std::uint64_t number = 0;
  std::optional<WalkEntry> entry;
  std::optional<Again> again;
  Segment segment;
};

/// Shares the work among threads. A file's segments go before other files, and no thread goes on to a file
/// that is too far ahead of those that were told, so that what waits is bounded.
class Work {
public:
  Work(const std::vector<std::string>& roots, const ScanOptions& options, const ScanVisitor& visit)
      : memory_(options.limits.window, options.threads), walk_(roots, options.below), share_(options.share),
        turns_(visit) {}

  SharedMemory& memory() { return memory_; }

  /// Nothing when all is done. Each one that was given is to be followed by `done`.
  std::optional<Task> take() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (!segments_.empty()) {
        Task task;
        task.segment = std::move(segments_.front());
        segments_.pop_front();
        ++busy_;
        return task;
      }
      // At its turn nothing waits for it but files that are told behind it, so that one at a time is there.
      if (!again_.empty() && again_.begin()->first == turns_.next()) {
        Task task{again_.begin()->first, std::nullopt, std::move(again_.begin()->second), {}};
        again_.erase(again_.begin());
        ++busy_;
        return task;
      }
      if (turns_.has_room(next_number_)) {
        walk_on();
        if (!entries_.empty()) {
          Task task{next_number_++, std::move(entries_.front()), std::nullopt, {}};
          entries_.pop_front();
          ++busy_;
          return task;
        }
      }
      if (walked_ && entries_.empty() && again_.empty() && busy_ == 0) {
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

  /// All but the first, which whoever splits a file does itself.
  void share(const std::shared_ptr<FileWork>& work) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < work->gleaned.size(); ++i)
      segments_.push_back({work, i});
    changed_.notify_all();
  }

  void tell(std::uint64_t number, ScannedFile&& file) {
    const std::uint64_t bytes = ToldBytes().of(file);
    turns_.tell(number, std::move(file), bytes);
  }
  /// That file is not told yet, but given again when its turn has come.
  void defer(std::uint64_t number, Again&& again) {
    const std::lock_guard lock(mutex_);
    again_.emplace(number, std::move(again));
  }

private:
  /// Sees to it that there are entries. Several at a time, as other threads wait meanwhile, and to put one to
  /// sleep and wake it up takes longer than most files.
  void walk_on() {
    constexpr std::size_t at_once = 32;
    if (!entries_.empty())
      return;
    while (!walked_ && entries_.size() < at_once) {
      auto entry = walk_.next();
      walked_ = !entry.has_value();
      if (walked_)
        return;
      entry->elsewhere = share_ != nullptr && !share_->take(*entry);
      if (!entry->elsewhere || entry->kind == WalkEntry::Kind::file)
        entries_.push_back(*std::move(entry));
    }
  }

  SharedMemory memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Walk walk_;
  Share* share_;                  ///< nullptr: all is looked at
  std::deque<WalkEntry> entries_; ///< the walk's next ones
  bool walked_ = false;           ///< there are no others
  std::uint64_t next_number_ = 0;
  unsigned busy_ = 0; ///< tasks that were taken and are not done
  std::deque<Segment> segments_;
  std::map<std::uint64_t, Again> again_;
  Turns turns_;
};

} // namespace hostpin
