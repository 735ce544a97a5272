// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/scan.hpp"

#include "hooks/leak-check/scan/file_scan.hpp"
#include "hooks/leak-check/scan/turns.hpp"
#include "hooks/leak-check/walk/walk.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace hostpin {

namespace {

constexpr std::uint64_t segment_size = std::uint64_t{16} << 20U; // one thread's work of some milliseconds

/// One file between its parts of work, which may be done by several threads.
struct FileWork {
  FileWork(std::uint64_t number_, ScannedFile&& file_, Subject&& subject_, std::size_t segments)
      : number(number_), file(std::move(file_)), subject(std::move(subject_)), gleaned(segments),
        troubles(segments), left(segments) {}

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

/// What a thread does next: a file of the walk, or a segment of a large one.
struct Task {
  std::uint64_t number = 0;
  std::optional<WalkEntry> entry;
  Segment segment;
};

/// Shares the work among threads. A file's segments go before other files, and no thread goes on to a file
/// that is too far ahead of those that were told, so that what waits is bounded.
class Work {
public:
  Work(const std::vector<std::string>& roots, const std::string& below, const ScanVisitor& visit)
      : walk_(roots, below), turns_(visit) {}

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
      if (turns_.has_room(next_number_)) {
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

  /// All but the first, which whoever splits a file does itself.
  void share(const std::shared_ptr<FileWork>& work) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < work->gleaned.size(); ++i)
      segments_.push_back({work, i});
    changed_.notify_all();
  }

  void tell(std::uint64_t number, ScannedFile&& file) { turns_.tell(number, std::move(file)); }

private:
  /// Sees to it that there are entries. Several at a time, as other threads wait meanwhile, and to put one to
  /// sleep and wake it up takes longer than most files.
  void walk_on() {
    constexpr std::size_t at_once = 32;
    if (!entries_.empty())
      return;
    while (!walked_ && entries_.size() < at_once) {
      if (auto entry = walk_.next())
        entries_.push_back(*std::move(entry));
      else
        walked_ = true;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Walk walk_;
  std::deque<WalkEntry> entries_; ///< the walk's next ones
  bool walked_ = false;           ///< there are no others
  std::uint64_t next_number_ = 0;
  unsigned busy_ = 0; ///< tasks that were taken and are not done
  std::deque<Segment> segments_;
  Turns turns_;
};

/// One thread.
class Worker {
public:
  Worker(Work& work, const NeedleSet& needles, const ScanOptions& options)
      : work_(work), options_(options), scan_(needles, options) {}

  void run() {
    while (auto task = work_.take()) {
      if (task->entry) {
        if (options_.progress != nullptr)
          options_.progress->begin(task->entry->path);
        start(task->number, std::move(*task->entry));
      } else {
        scan_segment(task->segment);
      }
      work_.done();
    }
  }

private:
  void start(std::uint64_t number, WalkEntry&& entry) {
    ScannedFile file;
    file.path = std::move(entry.path);
    file.file = std::move(entry.file);
    file.hard_link_of = std::move(entry.hard_link_of);
    const auto tell_unseen = [&](std::string reason) {
      file.unseen.push_back({{file.path, {}, {}, std::nullopt}, std::move(reason)});
      tell(number, std::move(file));
    };
    if (entry.kind == WalkEntry::Kind::unreadable)
      return tell_unseen(std::move(entry.reason));
    if (entry.kind == WalkEntry::Kind::symlink) {
      file.kind = ScannedFile::Kind::symlink;
      file.size = entry.link_target.size();
      scan_.link(entry.link_target, {}, file);
      return tell(number, std::move(file));
    }
    auto blob = entry.open();
    if (!blob)
      return tell_unseen(std::move(blob.error().message));
    file.size = blob->size();
    Subject subject = scan_.begin(*std::move(blob), file.path, {}, file);
    if (!options_.content || file.hard_link_of) {
      if (subject.part.elf || subject.part.text)
        file.parts.push_back(std::move(subject.part));
      return tell(number, std::move(file));
    }
    const std::size_t segments =
        static_cast<std::size_t>(std::max<std::uint64_t>(1, subject.blob.size() / segment_size));
    const auto split = std::make_shared<FileWork>(number, std::move(file), std::move(subject), segments);
    if (segments > 1)
      work_.share(split);
    scan_segment({split, 0});
  }

  void scan_segment(const Segment& segment) {
    FileWork& work = *segment.work;
    const bool is_last = segment.index + 1 == work.gleaned.size();
    const std::uint64_t begin = segment.index * segment_size;
    const std::uint64_t end = is_last ? work.subject.blob.size() : begin + segment_size;
    if (const auto read = scan_.content(work.subject, begin, end, work.gleaned[segment.index]); !read)
      work.troubles[segment.index] = read.error();
    if (options_.progress != nullptr)
      options_.progress->read(end - begin);
    if (work.left.fetch_sub(1) == 1)
      finish(work);
  }

  void finish(FileWork& work) {
    ScannedFile& file = work.file;
    Gleaned all = std::move(work.gleaned.front());
    for (std::size_t i = 1; i < work.gleaned.size(); ++i) {
      all.hits.append(std::move(work.gleaned[i].hits));
      all.linked_in.merge(work.gleaned[i].linked_in);
    }
    Budget budget(options_.limits, file.size);
    const Blob blob = work.subject.blob;
    scan_.end(std::move(work.subject), all, file, budget);
    const auto trouble = std::find_if(work.troubles.begin(), work.troubles.end(),
                                      [](const auto& one) { return one.has_value(); });
    if (trouble != work.troubles.end())
      file.unseen.push_back({{file.path, {}, {}, std::nullopt}, (*trouble)->message});
    else if (blob.has_changed())
      file.unseen.push_back({{file.path, {}, {}, std::nullopt}, "it was written to while it was read"});
    tell(work.number, std::move(file));
  }

  void tell(std::uint64_t number, ScannedFile&& file) {
    work_.tell(number, std::move(file));
    if (options_.progress != nullptr)
      options_.progress->end();
  }

  Work& work_;
  const ScanOptions& options_;
  FileScan scan_;
};

} // namespace

void scan_tree(const std::vector<std::string>& roots, const NeedleSet& needles, const ScanOptions& options,
               const ScanVisitor& visit) {
  Work work(roots, options.below, visit);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.threads; ++i) {
    try {
      threads.emplace_back([&] { Worker(work, needles, options).run(); });
    } catch (const std::system_error&) {
      break; // fewer threads take longer, and tell the same
    }
  }
  Worker(work, needles, options).run();
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace hostpin
