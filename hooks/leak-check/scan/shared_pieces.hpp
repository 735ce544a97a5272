// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

// The pieces of one file, on which several threads work at a time.

namespace hostpin::leak {

class FileScan;

/// Numbered pieces. Any thread makes a piece's result, with its own scan; one thread, the leader, takes the
/// results in order, so that they do not depend on the number of threads.
class SharedPieces {
public:
  /// Results that wait for an earlier one, at most.
  static constexpr std::size_t most_waiting = 256;

  using Make = std::function<void(std::size_t, FileScan&)>;
  /// Returns whether to continue.
  using Take = std::function<bool(std::size_t)>;

  /// Keeps references until `lead` returns.
  SharedPieces(std::size_t count, const Make& make, const Take& take)
      : make_(make), take_(take), count_(count), made_(std::min(count, most_waiting)) {}

  std::size_t count() const { return count_; }

  /// Makes results until none are left to be begun; at once if `lead` has returned.
  void help(FileScan& scan) {
    std::unique_lock lock(mutex_);
    while (next_ < count_)
      if (next_ - taken_ < made_.size())
        make_next(scan, lock);
      else
        changed_.wait(lock);
  }

  /// Takes all results and makes those that no other thread makes. Returns or throws when no thread uses
  /// `make` any more.
  void lead(FileScan& scan) {
    std::unique_lock lock(mutex_);
    while (taken_ < count_)
      if (made_[taken_ % made_.size()])
        take_next(lock);
      else if (next_ < count_ && next_ - taken_ < made_.size())
        make_next(scan, lock);
      else
        changed_.wait(lock);
    changed_.wait(lock, [&] { return making_ == 0; });
    if (thrown_)
      std::rethrow_exception(thrown_);
  }

private:
  void make_next(FileScan& scan, std::unique_lock<std::mutex>& lock) {
    const std::size_t index = next_++;
    ++making_;
    caught(lock, [&] { make_(index, scan); });
    --making_;
    made_[index % made_.size()] = true;
    changed_.notify_all();
  }

  void take_next(std::unique_lock<std::mutex>& lock) {
    const std::size_t index = taken_;
    bool more = false;
    caught(lock, [&] { more = take_(index); });
    made_[index % made_.size()] = false;
    ++taken_;
    if (!more)
      next_ = taken_ = count_;
    changed_.notify_all();
  }

  /// Calls `work` without the lock. What it throws ends the work on all pieces, for the leader to throw.
  template <typename Work>
  void caught(std::unique_lock<std::mutex>& lock, const Work& work) {
    std::exception_ptr thrown;
    lock.unlock();
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (!thrown)
      return;
    thrown_ = thrown;
    next_ = taken_ = count_;
  }

  const Make& make_;
  const Take& take_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_;
  std::size_t next_ = 0;   ///< the first one that is not begun
  std::size_t taken_ = 0;  ///< changed by the leader, or by what is thrown
  std::size_t making_ = 0; ///< results that are being made
  std::exception_ptr thrown_;
  std::vector<bool> made_; ///< of the pieces from `taken_` on, by their number modulo its size
};

/// The other threads of a scan.
class Crew {
public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  virtual ~Crew() = default;

  /// Has threads without a task help, now or later.
  virtual void share(const std::shared_ptr<SharedPieces>& pieces) = 0;
};

/// Calls `take` in order with each result of `make`, until it returns false. `crew` may be nullptr: then
/// `scan` makes all results.
template <typename Result>
void in_order(std::size_t count, FileScan& scan, Crew* crew,
              const std::function<Result(std::size_t, FileScan&)>& make,
              const std::function<bool(std::size_t, Result&&)>& take) {
  if (crew == nullptr || count < 2) {
    for (std::size_t i = 0; i < count; ++i)
      if (!take(i, make(i, scan)))
        return;
    return;
  }
  std::vector<std::optional<Result>> results(std::min(count, SharedPieces::most_waiting));
  const SharedPieces::Make make_one = [&](std::size_t i, FileScan& by) {
    results[i % results.size()].emplace(make(i, by));
  };
  const SharedPieces::Take take_one = [&](std::size_t i) {
    Result result = *std::move(results[i % results.size()]);
    results[i % results.size()].reset();
    return take(i, std::move(result));
  };
  const auto pieces = std::make_shared<SharedPieces>(count, make_one, take_one);
  crew->share(pieces);
  pieces->lead(scan);
}

} // namespace hostpin::leak
