// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hostpin {

/// Holds an exclusive advisory lock until destroyed. Where the file system has no locks nothing is held:
/// every write is atomic without it, and only work may be done twice. Who waits can be asked to end: while
/// one of the ending signals is held back and pending, Interrupted (toolchains/base/process.hpp) is thrown.
class Lock {
public:
  /// Of a file that is there for this alone, and made where it is not.
  explicit Lock(const std::string& path);
  /// Of a directory itself.
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
