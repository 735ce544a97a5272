// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

// Which directories decisions are stored in, and when they are not trusted.

namespace hostpin::hot {

/// Why a directory of the cache, or a parent of it, is not used: others could put files or directories there.
/// Empty if nobody else can; a directory that does not exist yet will be created private.
std::string unused_because(const std::string& directory, const std::string& cache);

/// The directory for decisions that the cache cannot store: `hostpin` in $XDG_RUNTIME_DIR, else `hostpin-UID`
/// in $TMPDIR or /tmp. It holds only plans, no programs. It may not exist yet. Empty if another user created
/// it, or could replace it.
std::string temporary_cache(const char* const* envp);

/// Whether `path` is a directory of this user, closed to all others, and not a symlink.
bool is_own_directory(const std::string& path);

} // namespace hostpin::hot
