// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/writing.hpp"

#include <functional>
#include <string>

namespace hostpin {

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
/// refused and left unchanged. A wait for another writer can be interrupted, as Lock documents.
Result<void> write_bound_directory(const std::string& directory, const Bundle& bundle);

/// An error if anybody but this user and root could replace files, and so the programs, in a directory.
Result<void> nobody_else_writes_to(const std::string& directory);

/// Writes its files into an existing directory; the caller is responsible for its other content.
Result<void> fill_bound_directory(const std::string& directory, const Bundle& bundle);

/// A bound toolchain inside the cache.
Result<void> write_cached_directory(const std::string& directory, const Bundle& bundle);

} // namespace hostpin
