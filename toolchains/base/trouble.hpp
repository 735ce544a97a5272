// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>

namespace hostpin {

/// Whether an errno says that a file could not be looked at by us and now, so that it is not known whether
/// others find it. Every other reason (ENOENT, EACCES, ELOOP, ...) is theirs as much as ours.
constexpr bool is_trouble(int reason) {
  return reason == EIO || reason == ENOMEM || reason == EINTR || reason == ESTALE || reason == EMFILE ||
         reason == ENFILE;
}

} // namespace hostpin
