// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/scan.hpp"

#include "hooks/leak-check/scan/file_scan.hpp"
#include "hooks/leak-check/scan/work.hpp"
#include "toolchains/base/threads.hpp"

#include <optional>
#include <utility>

namespace hostpin::leak {

namespace {

/// One thread.
class Worker {
public:
  Worker(Work& work, const NeedleSet& needles, const ScanOptions& options)
      : work_(work), options_(options), scan_(needles, options, work.crew()) {}

  void run() {
    while (auto task = work_.take()) {
      if (!task->entry) {
        task->pieces->help(scan_);
      } else {
        if (options_.progress != nullptr)
          options_.progress->begin(task->entry->path);
        start(task->number, *std::move(task->entry));
      }
      task.reset(); // frees the file before the next one
      work_.done();
    }
  }

private:
  void start(std::uint64_t number, WalkEntry&& entry) {
    ScannedFile file;
    file.path = std::move(entry.path);
    file.file = std::move(entry.file);
    file.hard_link_of = std::move(entry.hard_link_of);
    const auto add_unseen = [&](std::string reason) {
      file.unseen.push_back({{file.path, {}, {}, std::nullopt}, std::move(reason)});
      add(number, std::move(file));
    };
    if (entry.kind == WalkEntry::Kind::unreadable)
      return add_unseen(std::move(entry.reason));
    if (entry.kind == WalkEntry::Kind::symlink) {
      file.kind = ScannedFile::Kind::symlink;
      file.size = entry.link_target.size();
      scan_.link(entry.link_target, {}, file);
      return add(number, std::move(file));
    }
    auto blob = entry.open();
    if (!blob)
      return add_unseen(std::move(blob.error().message));
    file.size = blob->size();
    ScanItem item = scan_.begin(*std::move(blob), file.path, {}, file);
    if (!options_.content || file.hard_link_of) {
      if (item.part.elf || item.part.text)
        file.parts.push_back(std::move(item.part));
      return add(number, std::move(file));
    }
    finish(number, std::move(item), std::move(file));
  }

  void finish(std::uint64_t number, ScanItem&& item, ScannedFile&& file) {
    const binary::Blob blob = item.blob;
    ContentResult content_result(options_.limits.kinds);
    const auto read = scan_.content(item, content_result);
    Budget budget(options_.limits, file.size, &work_.large_windows());
    scan_.end(std::move(item), std::move(content_result), file, budget);
    if (!read)
      file.unseen.push_back({{file.path, {}, {}, std::nullopt}, read.error().message});
    else if (blob.has_changed())
      file.unseen.push_back({{file.path, {}, {}, std::nullopt}, "it was modified while it was read"});
    add(number, std::move(file));
  }

  void add(std::uint64_t number, ScannedFile&& file) {
    work_.add(number, std::move(file));
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
  run_in_threads(options.threads, [&] { Worker(work, needles, options).run(); });
}

} // namespace hostpin::leak
