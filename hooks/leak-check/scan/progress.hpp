// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace hostpin {

/// How far a scan is, for whoever watches it from another thread.
class ScanProgress {
public:
  struct State {
    std::uint64_t files = 0; ///< done
    std::uint64_t bytes = 0; ///< read of files, as stored
    std::string path;        ///< of the file that was begun last
  };

  void begin(const std::string& path) {
    const std::lock_guard lock(mutex_);
    state_.path = path;
  }
  void read(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    state_.bytes += bytes;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ++state_.files;
  }
  State state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

private:
  mutable std::mutex mutex_;
  State state_;
};

} // namespace hostpin
