// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/writing.hpp"

#include <functional>
#include <string>

namespace hostpin {

/// What a bound toolchain's directory holds, but for the executable.
struct Bundle {
  std::string plan;
  std::string binding_toml;
  std::string toolchain_cmake;
  std::string identity; ///< empty: there is no such file
  std::string driver;   ///< the static executable that is put there as `nvcc` and `c++`, sealed
  /// What else belongs into the directory, written before the plan; may be empty.
  std::function<Result<void>(const std::string& directory)> more = {};
};

/// Writes a bound toolchain. A new directory appears whole or not at all; in one that is ours each file is
/// replaced in one step, the plan behind all but the seal of a new decision; one that holds something else is
/// refused and left alone. Who waits for another that writes there can be ended, as Lock says.
Result<void> write_bound_directory(const std::string& directory, const Bundle& bundle);

/// Whoever could exchange files in a directory could exchange the programs: an error where that is anybody
/// but us and root.
Result<void> nobody_else_writes_to(const std::string& directory);

/// Writes its files into a directory that is there and whose other content is the caller's concern.
Result<void> fill_bound_directory(const std::string& directory, const Bundle& bundle);

/// A bound toolchain inside the cache.
Result<void> write_cached_directory(const std::string& directory, const Bundle& bundle);

} // namespace hostpin
