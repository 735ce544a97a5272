// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// Directories where some kind of installation keeps what we look for.
struct Place {
  const char*
      variable; ///< environment variable with the directory it is under; nullptr for an absolute pattern
  const char* pattern; ///< path in which each component may hold one `*`
  const char* origin;  ///< for a person
};

struct Expansion {
  std::vector<std::string>
      directories; ///< that fit the pattern; a pattern without `*` gives itself, present or not
  std::vector<std::string> looked; ///< directories that were listed for a `*`, or would have been
};

/// Newest-looking names first where a pattern fits several (gcc-13 before gcc-9).
Expansion expand(const Files& files, const Environment& environment, const Place& place);

/// The absolute directories of PATH, in order. Empty and relative entries mean the current directory, which
/// is not trusted.
std::vector<std::string> path_directories(const Environment& environment);

/// Why a path that has no status cannot be used, to follow its name: `does not exist`, or which directory
/// around it this user may not search.
std::string absence(const Files& files, const std::string& path);

} // namespace hostpin
