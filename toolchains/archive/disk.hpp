// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cerrno>
#include <cstring>
#include <string>

namespace hostpin {

/// The hint of an error that more space would have prevented.
inline constexpr const char* full_disk_hint =
    "free space on the store's file system, or choose another store, and fetch again";

/// `cannot DOING: reason`, the reason being errno's.
inline tl::unexpected<Error> disk_failure(const std::string& doing) {
  const int reason = errno;
  return failure("cannot " + doing + ": " + std::strerror(reason),
                 reason == ENOSPC || reason == EDQUOT ? full_disk_hint : "");
}

} // namespace hostpin
