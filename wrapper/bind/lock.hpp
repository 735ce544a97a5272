// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hostpin {

/// Holds an exclusive advisory lock until destroyed. On a file system without locks nothing is held: every
/// write is atomic without it, and only work may be done twice. A waiting process can be terminated: while
/// one of the ending signals is deferred and pending, Interrupted (toolchains/base/process.hpp) is thrown.
class Lock {
public:
  /// Locks a file that exists only for this, and is created if missing.
  explicit Lock(const std::string& path);
  /// Locks a directory itself.
  static Lock of_directory(const std::string& path);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

private:
  explicit Lock(int descriptor) : descriptor_(descriptor) {}
  Lock(const std::string& path, int flags);

  int descriptor_;
};

} // namespace hostpin
