// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/fetch.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/redist/store/archive_lock.hpp"
#include "toolchains/redist/store/difference.hpp"
#include "toolchains/redist/store/nar.hpp"
#include "toolchains/redist/store/urls.hpp"
#include "toolchains/redist/store/workers.hpp"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hostpin::redist {

namespace {

constexpr std::chrono::milliseconds pause{100}; // between checks of what other processes and threads did

constexpr const char* other_archive_hint =
    "the server has another archive under this name: compare its manifest with the lock by `hostpin redist "
    "check MANIFEST --against LOCK`";

/// One archive that is not in the store yet.
struct Item {
  const LockedArchive* archive = nullptr;
  std::optional<FileLock> lock; ///< held while this process works at it
  std::string partial;          ///< path
  std::string server;           ///< host and port that it is downloaded from; empty: none
  std::uint64_t received = 0;
  std::string first_hash; ///< of a download that was wrong; the next one is the last
  std::string note;
};

std::string wrong_copy(const Item& item) {
  return item.partial + ".wrong";
}

class Fetch {
public:
  Fetch(const Lock& lock, const Store& store, const FetchOptions& options, const Files& files,
        FetchProgress& progress, const std::function<void(const Fetched&)>& report)
      : lock_(lock), store_(store), options_(options), files_(files), progress_(progress), report_(report),
        transfers_(options.transfer, [this](std::int64_t bytes) { add_progress(bytes); }),
        workers_(options.jobs) {}

  FetchResult run() {
    choose();
    while (!waiting_.empty() || transfers_.active() > 0 || workers_.active() > 0) {
      admit();
      if (transfers_.active() > 0)
        transfers_.run(pause);
      else if (workers_.active() > 0 || !waiting_.empty())
        workers_.wait(pause);
      workers_.take_results();
    }
    for (const auto& [server, trouble] : unreachable_)
      if (trouble.others > 0)
        result_.errors[trouble.error].message +=
            "; " + std::to_string(trouble.others) + " other archives of that server are missing too";
    return std::move(result_);
  }

private:
  using Pointer = std::shared_ptr<Item>;

  /// Archives with the same hash are fetched once.
  void choose() {
    std::set<std::string_view> seen;
    for (const LockedArchive& archive : lock_.archives) {
      if (!seen.insert(archive.sha256).second)
        continue;
      if (store_.tree(archive.sha256)) {
        ++result_.present;
        continue;
      }
      const auto item = std::make_shared<Item>();
      item->archive = &archive;
      item->partial = store_.partial_path(archive.sha256);
      waiting_.push_back(item);
    }
    std::ranges::stable_sort(waiting_, std::ranges::greater(),
                             [](const Pointer& item) { return item->archive->size.value_or(0); });
    progress_.update([this](FetchProgress::State& state) {
      state.archives = waiting_.size();
      for (const Pointer& item : waiting_)
        state.bytes += item->archive->size.value_or(0);
    });
  }

  void add_progress(std::int64_t bytes) {
    progress_.update([bytes](FetchProgress::State& state) {
      state.received += static_cast<std::uint64_t>(bytes); // modulo 2^64, as `bytes` may be negative
    });
  }

  /// Starts as many downloads as may run, of archives that no other process works at.
  void admit() {
    if (stop_)
      waiting_.clear();
    for (auto next = waiting_.begin(); next != waiting_.end() && !is_busy();) {
      const Pointer item = *next;
      auto lock = lock_archive(store_.lock_path(item->archive->sha256));
      if (lock && !*lock) { // another process has it
        ++next;
        continue;
      }
      next = waiting_.erase(next);
      if (!lock) {
        refuse(*item, lock.error());
        continue;
      }
      item->lock = *std::move(lock);
      begin(item);
    }
  }

  void begin(const Pointer& item) {
    if (store_.tree(item->archive->sha256)) // another process was faster
      return complete(*item);
    progress_.update([&](FetchProgress::State& state) { state.name = name_of(*item->archive); });
    if (has_directory())
      return take_from_directory(item);
    struct stat status {};
    if (::stat(item->partial.c_str(), &status) == 0)
      add_progress(status.st_size);
    download(item);
  }

  /// Whether archives are read where they are, and nothing is downloaded.
  bool has_directory() const { return !options_.mirror.empty() && !is_url(options_.mirror); }

  /// As many archives as can be worked at; other processes may take the others.
  bool is_busy() const {
    return transfers_.active() >= options_.connections ||
           (has_directory() && workers_.active() > options_.jobs);
  }

  void take_from_directory(const Pointer& item) {
    auto path = mirrored_file(*item->archive, options_.mirror, files_);
    if (!path)
      return refuse(*item, path.error());
    workers_.add([this, item, path = *std::move(path)]() -> Workers::Then {
      auto done = unpack_file(*item, path);
      return [this, item, done = std::move(done)] {
        if (!done)
          return refuse(*item, done.error());
        result_.received += *done;
        report_({name_of(*item->archive), *done, *done, {}});
        complete(*item);
      };
    });
  }

  /// In a worker's thread: verifies and unpacks a file that others may write to. Returns its size.
  Result<std::uint64_t> unpack_file(const Item& item, const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat before {};
    if (file.number() < 0 || ::fstat(file.number(), &before) != 0)
      return os_failure("read " + path);
    if (!S_ISREG(before.st_mode))
      return failure(path + " is not a regular file");
    const auto size = static_cast<std::uint64_t>(before.st_size);
    if (item.archive->size.value_or(size) != size)
      return failure(path + " has " + std::to_string(size) + " bytes, but the lock has " +
                         std::to_string(*item.archive->size),
                     other_archive_hint);
    Sha256 hash;
    TRY(update_from_file(hash, file.number(), size, path));
    if (const std::string found = hash.hex(); found != item.archive->sha256)
      return failure(path + ": its SHA-256 is " + found + " (" + std::to_string(size) +
                         " bytes), but the lock has " + item.archive->sha256,
                     other_archive_hint);
    add_progress(before.st_size);
    const auto is_same = [&]() -> Result<void> {
      struct stat after {};
      const bool same =
          ::fstat(file.number(), &after) == 0 && after.st_size == before.st_size &&
          after.st_mtim.tv_sec == before.st_mtim.tv_sec && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec &&
          after.st_ctim.tv_sec == before.st_ctim.tv_sec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec;
      return same ? Result<void>() : failure(path + " was changed while it was read", "fetch again");
    };
    TRY(publish(item, file.number(), is_same));
    return size;
  }

  void download(const Pointer& item) {
    auto urls = urls_of(lock_, *item->archive, options_.mirror);
    if (!urls)
      return refuse(*item, urls.error());
    if (const auto url = parse_url(urls->front()))
      item->server = url->host.empty() ? "" : url->host + ':' + url->port;
    if (unreachable_.contains(item->server))
      return refuse(*item, {"", "", ErrorKind::unreachable});
    transfers_.start({*std::move(urls), item->partial, item->archive->size, item->first_hash.empty()},
                     [this, item](Result<Downloaded> done) { received(item, std::move(done)); });
  }

  void received(const Pointer& item, Result<Downloaded> done) {
    // Where the file system is full, other programs need the space as well.
    if (stop_ || (!done && done.error().kind == ErrorKind::disk_full))
      PartialFile::remove(item->partial);
    if (stop_ || !done)
      return refuse(*item, done ? Error{} : done.error());
    item->received += done->received;
    result_.received += done->received;
    if (done->sha256 != item->archive->sha256)
      return mismatch(item, *done);
    if (!item->first_hash.empty())
      explain(*item);
    workers_.add([this, item, size = done->size]() -> Workers::Then {
      auto unpacked = unpack_and_publish(*item);
      return [this, item, size, unpacked = std::move(unpacked)] {
        if (!unpacked)
          return refuse(*item, unpacked.error());
        report_({name_of(*item->archive), size, item->received, item->note});
        complete(*item);
      };
    });
  }

  /// The first time the archive is downloaded again, to find out whether it was damaged on its way.
  void mismatch(const Pointer& item, const Downloaded& done) {
    if (item->first_hash.empty() && !stop_) {
      item->first_hash = done.sha256;
      add_progress(-static_cast<std::int64_t>(done.size));
      if (::rename(item->partial.c_str(), wrong_copy(*item).c_str()) == 0)
        return download(item);
    }
    Error error{done.url + ": its SHA-256 is " + done.sha256 + " (" + std::to_string(done.size) +
                    " bytes), but the lock has " + item->archive->sha256,
                other_archive_hint};
    if (item->first_hash != done.sha256) {
      error.message += "; a first download had the SHA-256 " + item->first_hash;
      if (const auto at = first_difference(wrong_copy(*item), item->partial))
        error.message += ", and differs from byte " + std::to_string(*at) + " on";
      error.hint = "the connection, a proxy or this machine changes what is downloaded: try another one";
    }
    PartialFile::remove(item->partial);
    refuse(*item, error);
  }

  /// Notes where a first download was damaged, now that there is a right one.
  static void explain(Item& item) {
    item.note = "a first download was damaged";
    if (const auto at = first_difference(wrong_copy(item), item.partial))
      item.note += " from byte " + std::to_string(*at) + " on";
    item.note += " (its SHA-256 was " + item.first_hash + "); it was downloaded again";
    static_cast<void>(::unlink(wrong_copy(item).c_str()));
  }

  /// In a worker's thread.
  Result<void> unpack_and_publish(const Item& item) const {
    const Descriptor archive(::open(item.partial.c_str(), O_RDONLY | O_CLOEXEC));
    auto published = archive.number() < 0 ? Result<void>(os_failure("open " + item.partial))
                                          : publish(item, archive.number(), [] { return Result<void>(); });
    PartialFile::remove(item.partial); // unpacked, or of no use
    return published;
  }

  /// `is_same`: whether what was unpacked is what was verified.
  Result<void> publish(const Item& item, int archive, const std::function<Result<void>()>& is_same) const {
    const std::string scratch = store_.temporary_path() + "/sha256-" + item.archive->sha256;
    auto published = unpack_to(scratch, item, archive, is_same);
    std::error_code ignored;
    std::filesystem::remove_all(scratch, ignored);
    return published;
  }

  Result<void> unpack_to(const std::string& scratch, const Item& item, int archive,
                         const std::function<Result<void>()>& is_same) const {
    std::error_code error;
    std::filesystem::remove_all(scratch, error); // of a process that was killed
    if (::mkdir(scratch.c_str(), 0755) != 0)
      return os_failure("create " + scratch);
    const auto tree = unpack(archive, scratch, options_.limits, stop_);
    TRY(is_same());
    if (!tree)
      return failure_in(item.archive->path, tree.error());
    TRY_ASSIGN(const auto hash, nar_sha256(tree->path));
    if (!item.archive->tree.empty() && item.archive->tree != hash)
      return failure(item.archive->path + ": its tree has the SHA-256 " + hash + ", but the lock has " +
                         item.archive->tree,
                     "make the lock again with `hostpin redist lock`");
    const auto stored = store_.add(item.archive->sha256, tree->path, hash, tree->top);
    return stored ? Result<void>() : tl::unexpected(stored.error());
  }

  void complete(Item& item) {
    ++result_.fetched;
    item.lock.reset();
    progress_.update([](FetchProgress::State& state) { ++state.done; });
  }

  void refuse(Item& item, const Error& error) {
    static_cast<void>(::unlink(wrong_copy(item).c_str()));
    struct stat status {};
    if (item.lock && ::stat(item.partial.c_str(), &status) == 0 && status.st_size == 0)
      PartialFile::remove(item.partial);
    item.lock.reset();
    ++result_.failed;
    if (error.kind == ErrorKind::unreachable) {
      const auto [known, is_first] =
          unreachable_.try_emplace(item.server, Unreachable{result_.errors.size(), 0});
      if (!is_first) {
        ++known->second.others;
        return;
      }
    }
    // One error of a full disk is enough: the others follow from it.
    const bool is_full = error.kind == ErrorKind::disk_full;
    if (is_full ? stop_.exchange(true) : stop_.load())
      return;
    Error named = failure_in(name_of(*item.archive), error).value();
    if (is_full)
      named.hint = "free space on the store's file system, or choose another store, and fetch again";
    result_.errors.push_back(std::move(named));
  }

  const Lock& lock_;
  const Store& store_;
  const FetchOptions& options_;
  const Files& files_;
  FetchProgress& progress_;
  const std::function<void(const Fetched&)>& report_;
  /// A server of which one error was reported.
  struct Unreachable {
    std::size_t error = 0;  ///< index in the result's
    std::size_t others = 0; ///< further archives
  };

  FetchResult result_;
  std::map<std::string, Unreachable> unreachable_;
  std::atomic<bool> stop_ = false;
  std::vector<Pointer> waiting_;
  Transfers transfers_;
  Workers workers_;
};

} // namespace

FetchResult fetch(const Lock& lock, const Store& store, const FetchOptions& options, const Files& files,
                  FetchProgress& progress, const std::function<void(const Fetched&)>& report) {
  remove_leftovers(store);
  return Fetch(lock, store, options, files, progress, report).run();
}

} // namespace hostpin::redist
