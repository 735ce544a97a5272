// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/loader/loader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Where glibc's loader looks by itself, as its own file says it.
struct LoaderFile {
  std::vector<std::string> directories; ///< at most 64; empty for what is no loader of glibc's
  std::string cache;                    ///< path of its ld.so.cache; the file need not exist
  std::string library_name;             ///< what $LIB stands for
};

/// Reads the texts that were compiled into it: directories with a slash at either end, in their order, and
/// the one that ends with /ld.so.cache (elf/dl-load.c and elf/dl-cache.c of glibc 2.26 to 2.42).
LoaderFile loader_file(std::string_view bytes);

} // namespace hostpin
