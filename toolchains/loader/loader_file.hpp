// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::loader {

/// Where glibc's loader searches by default, as its own file defines it.
struct LoaderFile {
  std::vector<std::string> directories; ///< at most 64; empty if it is not a loader of glibc's
  std::string cache;                    ///< path of its ld.so.cache; the file need not exist
  std::string library_name;             ///< value of $LIB
};

/// Reads the strings that were compiled into it: directories with a slash at both ends, in their order, and
/// the path that ends with /ld.so.cache (elf/dl-load.c and elf/dl-cache.c of glibc 2.26 to 2.42).
LoaderFile loader_file(std::string_view bytes);

} // namespace hostpin::loader
