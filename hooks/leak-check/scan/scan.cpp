// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/scan.hpp"

#include "hooks/leak-check/scan/work.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace hostpin {

namespace {

constexpr std::uint64_t segment_size = std::uint64_t{16} << 20U; // one thread's work of some milliseconds

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
      } else if (task->again) {
        scan_alone(task->number, *std::move(task->again));
      } else {
        scan_segment(task->segment);
      }
      task.reset(); // what it holds of a file is to go before the next one
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
    if (entry.elsewhere) {
      file.elsewhere = true;
      if (const auto blob = entry.open())
        FileScan::glance(*blob, file);
      return work_.tell(number, std::move(file));
    }
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
    const auto split = std::make_shared<FileWork>(number, std::move(file), std::move(subject), segments,
                                                  options_.limits.kinds_at_once);
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
    Gleaned all = std::move(work.gleaned.front());
    for (std::size_t i = 1; i < work.gleaned.size(); ++i) {
      all.hits.append(std::move(work.gleaned[i].hits));
      all.linked_in.merge(work.gleaned[i].linked_in);
    }
    Budget budget(options_.limits, work.file.size, work_.memory(), false);
    Again again{bare(work.file), work.subject.blob};
    scan_.end(std::move(work.subject), std::move(all), work.file, budget);
    if (budget.wants_all())
      return work_.defer(work.number, std::move(again));
    const auto trouble = std::find_if(work.troubles.begin(), work.troubles.end(),
                                      [](const auto& one) { return one.has_value(); });
    tell(work.number, std::move(work.file), again.blob,
         trouble == work.troubles.end() ? std::nullopt : *trouble);
  }

  /// Without what was told of its content.
  static ScannedFile bare(const ScannedFile& file) {
    ScannedFile result;
    result.path = file.path;
    result.file = file.file;
    result.size = file.size;
    return result;
  }

  void scan_alone(std::uint64_t number, Again&& again) {
    ScannedFile& file = again.file;
    Budget budget(options_.limits, file.size, work_.memory(), true);
    Subject subject = scan_.begin(again.blob, file.path, {}, file);
    Gleaned all(options_.limits.kinds);
    const auto read = scan_.content(subject, 0, again.blob.size(), all);
    scan_.end(std::move(subject), std::move(all), file, budget);
    tell(number, std::move(file), again.blob, read ? std::nullopt : std::optional(read.error()));
  }

  void tell(std::uint64_t number, ScannedFile&& file, const Blob& blob, const std::optional<Error>& trouble) {
    if (trouble)
      file.unseen.push_back({{file.path, {}, {}, std::nullopt}, trouble->message});
    else if (blob.has_changed())
      file.unseen.push_back({{file.path, {}, {}, std::nullopt}, "it was written to while it was read"});
    tell(number, std::move(file));
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
  Work work(roots, options, visit);
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
