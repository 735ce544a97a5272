// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/result.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace hostpin::redist {

/// SHA-256 of a file while it is written: in a separate thread if one can be made, so that the thread that
/// receives the bytes does not wait for it, and the file is not read a second time.
class HashingThread {
public:
  HashingThread();
  HashingThread(const HashingThread&) = delete;
  HashingThread& operator=(const HashingThread&) = delete;
  ~HashingThread();

  /// The first `length` bytes of an open file, which must be the first to be hashed.
  void add_file(int descriptor, std::uint64_t length, const std::string& path);
  /// Copies the bytes; waits if much is still to be hashed.
  void add(std::string_view bytes);
  /// Discards everything so far.
  void restart();
  /// The hash of everything since the last restart, which begins the next one.
  Result<std::string> finish();

private:
  struct Task {
    std::string bytes;
    int descriptor = -1; ///< negative: only `bytes`
    std::uint64_t length = 0;
    std::string path;
  };

  void push(Task task);
  void run();
  void handle(const Task& task);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string gathered_; ///< bytes that are not a task yet; only of the caller's thread
  std::deque<Task> tasks_;
  bool busy_ = false, over_ = false;
  Sha256 hash_;
  Result<void> state_; ///< the first error
  std::thread thread_;
};

} // namespace hostpin::redist
