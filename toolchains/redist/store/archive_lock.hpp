// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/store/store.hpp"

#include <optional>
#include <string>

namespace hostpin::redist {

/// Held by the one process that works at an archive in a store. The kernel releases it when that process
/// ends, however it does.
class ArchiveLock {
public:
  /// Takes it if it is free, without waiting; nothing if another process, or this one, has it.
  static Result<std::optional<ArchiveLock>> take(const std::string& path);

  ArchiveLock(ArchiveLock&& other) noexcept;
  ArchiveLock& operator=(ArchiveLock&& other) noexcept;
  ~ArchiveLock();

private:
  explicit ArchiveLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// Removes the trees and drafts that killed processes left in a store. Partial files of archives that
/// are not unpacked stay: they are continued when their archive is fetched.
void remove_leftovers(const Store& store);

} // namespace hostpin::redist
