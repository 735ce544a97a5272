// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/setup/relocate.hpp"

#include <string>
#include <vector>

namespace hostpin::setup {

/// The directory in a stdenv's root with the libraries that its programs need and the machine lacks.
inline constexpr const char* runtime_name = "runtime";

/// GCC's shared libraries in `root` (libstdc++.so.6, libgomp.so.1, libasan.so.8, ...) that the machine lacks:
/// the loader's own directories below `machine` (empty: the root directory) have none of that name, or an
/// older one, which does not define all symbol versions of the one in `root`. Sorted.
std::vector<std::string> lacking_libraries(const std::string& root, const RootLayout& layout,
                                           const std::string& machine);

/// Copies these into `root`/runtime, which is created if there are any. They find each other there, and the C
/// library where the machine has it. Call this before `relocate`, which leads libraries to the
/// libraries of the root.
Result<void> add_runtime(const std::string& root, const RootLayout& layout,
                         const std::vector<std::string>& libraries);

/// The names of the libraries in `root`/runtime; empty if the machine lacked none.
std::vector<std::string> runtime_libraries(const std::string& root);

/// The library of that name that the machine's loader finds by itself, below `machine`, symlinks resolved;
/// empty if there is none.
std::string machine_library(const std::string& name, const std::string& triplet, const std::string& machine);

} // namespace hostpin::setup
