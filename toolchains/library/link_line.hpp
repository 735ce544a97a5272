// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What a driver passes to the linker, as its `-###` shows it.
struct LinkLine {
  std::string loader;                           ///< -dynamic-linker, the last one; empty when none was named
  std::string sysroot;                          ///< --sysroot, the last one; empty for none, and for `/`
  std::vector<std::string> library_directories; ///< -L, in order
  std::vector<std::string> run_paths;           ///< -rpath, in order, split at colons
  /// A C++ standard library is named behind the objects: by -l, or as a file of that name.
  bool cxx_library = false;
};

/// Reads the linker command out of the output of `driver -###`; empty when there is none.
LinkLine link_line(std::string_view text);

} // namespace hostpin
