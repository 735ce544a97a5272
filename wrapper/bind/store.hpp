// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/writing.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hostpin::bind {

/// The content of a bound toolchain's directory, except the executable.
struct Bundle {
  std::string plan;
  std::string binding_toml;
  std::string toolchain_cmake;
  std::string identity; ///< empty: there is no such file
  std::string driver;   ///< the static executable that becomes `nvcc` and `c++`, stamped
  /// Writes further files of the directory before the plan; may be empty.
  std::function<Result<void>(const std::string& directory)> more = {};
};

/// Writes a bound toolchain. A new directory appears whole or not at all; in a bound directory each file is
/// replaced in one step, the plan last, except for the final stamp of a new decision; any other directory is
/// refused and left unchanged. A wait for another writer can be interrupted, as FileLock documents.
Result<void> write_bound_directory(const std::string& directory, const Bundle& bundle);

/// An error if anybody but this user and root could replace programs in a directory, or owns a link to it.
Result<void> nobody_else_writes_to(const std::string& directory);

/// The same for an open file, or for a path without a file (a negative descriptor). Also an error if the path
/// leads to another file by now.
Result<void> nobody_else_writes_to(int descriptor, const std::string& directory);

/// Writes its files into an existing directory; the caller is responsible for its other content.
Result<void> fill_bound_directory(const std::string& directory, const Bundle& bundle);

/// A bound toolchain inside the cache.
Result<void> write_cached_directory(const std::string& directory, const Bundle& bundle);

/// The static executable as stamped for one binding. Caches identify a compiler by its bytes (sccache) or by
/// size and time (ccache), and would take every binding's nvcc as the same one; so all three depend on the
/// decision, and on nothing else: the same decision in another directory or at another time is the same
/// compiler.
struct Stamped {
  std::string content;       ///< the executable, then a line with the digest, then padding
  std::int64_t modified = 0; ///< nanoseconds since the epoch; between 2000 and 2016
};

/// `plan`: the bytes that write_plan made.
Stamped stamped(std::string executable, std::string_view plan);

} // namespace hostpin::bind
