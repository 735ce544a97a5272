// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

// Which directories decisions are stored in, and when they are not trusted.

namespace hostpin::hot {

/// Why a directory of the cache is not used, or one around it: others could put files or directories there.
/// Empty where nobody else can; what is not there yet is going to be made so.
std::string unused_because(const std::string& directory, const std::string& cache);

/// The directory for decisions that the cache cannot store: `hostpin` in $XDG_RUNTIME_DIR, else `hostpin-UID`
/// in $TMPDIR or /tmp. It holds plans alone, no programs. It may not exist yet. Empty where another user made
/// it, or could replace it.
std::string temporary_cache(const char* const* envp);

/// Whether that is a directory of this user, closed to all others, and no link to one.
bool is_own_directory(const std::string& path);

} // namespace hostpin::hot
