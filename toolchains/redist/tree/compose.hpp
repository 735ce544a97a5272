// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"
#include "toolchains/redist/tree/layout.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace hostpin::redist {

/// SHA-256 of files and texts, 64 lower-case hexadecimal digits.
struct Digests {
  FileDigest file;
  std::function<std::string(std::string_view)> text;
};

/// Changes a file of the root that is being written, in place, before its digest is taken: `piece` with its
/// path there. Called for files of a patched root only.
using PatchFiles = std::function<Result<void>(const std::string& root, const RootPlan& plan,
                                              std::vector<std::string>& changed)>;

struct Composed {
  bool was_there = false; ///< the root was that already, and nothing was written
  std::size_t linked = 0; ///< hard links into the store
  std::size_t copied = 0; ///< files with content of their own (or shared by the file system)
  std::size_t made = 0;   ///< symbolic links, and files that no archive has
  Origin origin;
};

/// Writes a root next to `directory` and moves it there as one step, in place of a root that was composed
/// before. An error if something else is there. Files are hard links to their sources; where the file system
/// does not allow that, copies.
Result<Composed> write_root(const RootPlan& plan, const std::string& directory, const Digests& digests,
                            const PatchFiles& patch);

/// Sets the run path of every shared library of the targets with patchelf: its own directory, the
/// compatibility libraries, the NVIDIA driver's directory.
Result<void> patch_run_paths(const std::string& root, const RootPlan& plan, const Processes& processes,
                             std::vector<std::string>& changed);

/// The run path of a library in a patched root.
std::string patched_run_path(const Origin& origin, const std::string& path);

} // namespace hostpin::redist
