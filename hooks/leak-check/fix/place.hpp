// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <memory>
#include <string>

namespace hostpin {

/// Where a file lies that may be changed. Its directory is held, so that it is that one whatever is put in
/// its place.
struct FixPlace {
  std::string path; ///< as the world has it, symlinks resolved
  std::shared_ptr<const OpenFile> directory;
  std::string name; ///< in it
  std::string file; ///< that this process can read it by
};

/// Of a file as it was scanned. Where a staged tree is judged, symlinks mean what they will mean there, and
/// an error says that the file lies outside: nothing there is opened, whatever leads to it.
Result<FixPlace> fix_place(const std::string& file, const World& world);

/// A directory in that root, component by component: `path` begins with a slash, and where one of its
/// components is a symlink by now, it is none.
std::shared_ptr<const OpenFile> open_below(const std::string& root, const std::string& path);

} // namespace hostpin
