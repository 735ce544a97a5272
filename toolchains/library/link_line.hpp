// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Which standard libraries a link names.
enum class StandardLibraries {
  unseen, ///< no link is shown
  none,   ///< not even the C library: the user supplies both
  c,      ///< only the C library, by -lc, as in a C driver's link
  cxx,    ///< a C++ library after the objects: by -l, or as a file of that name
};

/// The arguments that a driver passes to the linker, as its `-###` shows them.
struct LinkLine {
  std::string loader;                           ///< -dynamic-linker, the last one; empty if there is none
  std::string sysroot;                          ///< --sysroot, the last one; empty for none, and for `/`
  std::vector<std::string> library_directories; ///< -L, in order
  std::vector<std::string> run_paths;           ///< -rpath, in order, split at colons
  StandardLibraries libraries = StandardLibraries::unseen;
};

/// Extracts the linker command from the output of `driver -###`: the last one that names a loader, else the
/// last of a program with a linker's name. Empty if there is none.
LinkLine link_line(std::string_view text);

} // namespace hostpin
