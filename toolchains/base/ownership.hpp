// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace hostpin {

inline bool is_of_user_or_root(const struct stat& status) {
  return status.st_uid == geteuid() || status.st_uid == 0;
}

/// Whether the mode lets other users write. A group with its owner's number is the owner's private group.
inline bool is_writable_by_others(const struct stat& status) {
  const bool private_group = status.st_gid == status.st_uid;
  return (status.st_mode & (private_group ? S_IWOTH : S_IWGRP | S_IWOTH)) != 0;
}

} // namespace hostpin
