// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/os_error.hpp"

#include <cstring>
#include <utility>

namespace hostpin {

tl::unexpected<Error> os_failure(const std::string& doing, int reason, std::string hint) {
  std::string message = "cannot " + doing + ": " + std::strerror(reason);
  if (reason == ENOSPC || reason == EDQUOT)
    return failure(std::move(message),
                   "free space on that file system, or name a directory on another one, and run it again",
                   ErrorKind::disk_full);
  return failure(std::move(message), std::move(hint));
}

tl::unexpected<Error> failure_in(const std::string& context, Error error) {
  error.message = context + ": " + error.message;
  return tl::unexpected(std::move(error));
}

} // namespace hostpin
