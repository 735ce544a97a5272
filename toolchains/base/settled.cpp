// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/settled.hpp"

#include <algorithm>
#include <chrono>

namespace hostpin {

namespace {

// The kernel updates file times at intervals of up to this many nanoseconds: a file that was just written can
// be written again without a new time.
constexpr std::int64_t tick = 20'000'000;

} // namespace

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

FileStatus settled_status(const std::string& path, std::int64_t asked, const Files& files) {
  auto status = files.status(path);
  if (!status)
    return {};
  if (std::max(status->modified, status->changed) >= asked - tick)
    status->modified = unsettled;
  return *status;
}

} // namespace hostpin
