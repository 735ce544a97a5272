// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>

namespace hostpin {

/// True if an errno means that only this process failed to access a file, and only now, so that other
/// programs may still find it. Every other reason (ENOENT, EACCES, ELOOP, ...) applies to them as well.
constexpr bool is_trouble(int reason) {
  return reason == EIO || reason == ENOMEM || reason == EINTR || reason == ESTALE || reason == EMFILE ||
         reason == ENFILE;
}

} // namespace hostpin
