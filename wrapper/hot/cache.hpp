// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

// Which directories decisions are stored in, and when they are not trusted.

namespace hostpin::hot {

/// Why a directory of the cache, or a parent of it, is not used: others could put files or directories there,
/// or exchange the cache in a directory above it.
/// Empty if nobody else can; a directory that does not exist yet will be created private.
std::string unused_because(const std::string& directory, const std::string& cache);

/// The two directories that temporary_cache() chooses from; the first may be empty.
std::array<std::string, 2> temporary_directories(const char* const* envp);

/// The directory for decisions that the cache cannot store: `hostpin` in $XDG_RUNTIME_DIR, else `hostpin-UID`
/// in $TMPDIR or /tmp. It may not exist yet. Empty if another user created it, or could replace it, or if it
/// has to hold `programs` and its file system runs none.
std::string temporary_cache(const char* const* envp, bool programs = false);

/// Whether `path` is a directory of this user, closed to all others, and not a symlink.
bool is_own_directory(const std::string& path);

/// What one call adds to the environment when a host compiler is named on it.
struct Naming {
  std::string_view value;         ///< as spelt: a driver, a path or a directory; empty: none was named
  std::string_view by;            ///< where: `-ccbin`, `NVCC_APPEND_FLAGS`, ...
  bool allow_unsupported = false; ///< -allow-unsupported-compiler is in force
  bool informational = false;     ///< the call only queries nvcc and runs no compiler
  std::string_view caller = {};   ///< the real nvcc that runs hostpin's `c++`: its toolkit is used
  bool noted = false;             ///< another call below the same nvcc has printed the notes
};

/// 32 hexadecimal digits over everything outside the file system that could change the answer: the
/// environment variables that discovery and compilers read, this installation, the base binding, the named
/// compiler, the calling nvcc, and the current directory if a relative name depends on it. Files are checked
/// through the plan's own list.
std::string cache_key(const char* const* envp, std::string_view installation, std::string_view base,
                      const Naming& naming, std::string_view current_directory);

/// As in toolchains/base/cache_place.hpp, from this environment.
std::optional<std::string> cache_directory(const char* const* envp);

/// Why there is none.
std::string no_cache_because(const char* const* envp);

} // namespace hostpin::hot
