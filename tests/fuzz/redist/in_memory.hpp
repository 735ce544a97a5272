// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <unistd.h>

namespace hostpin::test {

/// A directory whose files are in memory, where there is one: thousands of small trees take twenty times as
/// long on a disk.
inline std::string in_memory() {
  return ::access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

} // namespace hostpin::test
