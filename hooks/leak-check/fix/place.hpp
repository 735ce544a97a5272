// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <memory>
#include <string>

namespace hostpin {

/// The location of a file that may be changed. Its directory is held open and cannot be exchanged.
struct FixPlace {
  std::string path; ///< in `World::files`, symlinks resolved
  std::shared_ptr<const OpenFile> directory;
  std::string name; ///< in it
  std::string file; ///< path by which this process can read it
};

/// The place of a scanned file. If a staged tree is judged, symlinks are resolved as after the install; an
/// error if the file is outside the tree, where nothing is opened.
Result<FixPlace> fix_place(const std::string& file, const World& world);

/// Opens a directory in that root, component by component; `path` begins with a slash. nullptr if a component
/// has become a symlink.
std::shared_ptr<const OpenFile> open_below(const std::string& root, const std::string& path);

} // namespace hostpin
