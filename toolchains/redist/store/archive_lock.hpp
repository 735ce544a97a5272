// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/file_lock.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/redist/store/store.hpp"

#include <optional>
#include <string>

namespace hostpin::redist {

/// Takes the lock of the one process that works at an archive in a store, without waiting; nothing if another
/// process, or this one, has it.
Result<std::optional<FileLock>> lock_archive(const std::string& path);

/// Removes the trees and drafts that killed processes left in a store. Partial files of archives that
/// are not unpacked stay: they are continued when their archive is fetched.
void remove_leftovers(const Store& store);

} // namespace hostpin::redist
