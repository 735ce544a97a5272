// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hostpin::hot {

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

} // namespace hostpin::hot
