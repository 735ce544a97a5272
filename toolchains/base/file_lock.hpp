// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

namespace hostpin {

/// An exclusive advisory lock (flock(2)) of an open file, held until this is destroyed. The kernel also
/// releases it when the process ends.
class FileLock {
public:
  /// Locks a file that exists only for this, and is created if missing. On a file system without locks
  /// nothing is held: for writers whose every write is atomic without it, so that only work may be done
  /// twice. Waits as `take` does.
  static FileLock of_file(const std::string& path);
  /// Locks a directory itself; likewise.
  static FileLock of_directory(const std::string& path);

  /// Owns the open file; nothing is locked yet. A negative descriptor is none, as a failed open(2) returns
  /// it.
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  int descriptor() const { return descriptor_; }

  /// Takes the lock if it is free. Returns 0, or the reason: EWOULDBLOCK if another process, or this one, has
  /// it.
  int take_if_free() const;
  /// Waits for the lock; calls `waiting` first if that is necessary. Returns 0, or the reason. A waiting
  /// process can be terminated: while a deferred termination signal is pending, Interrupted
  /// (toolchains/base/process.hpp) is thrown.
  int take(const std::function<void()>& waiting = {}) const;

private:
  int descriptor_;
};

} // namespace hostpin
