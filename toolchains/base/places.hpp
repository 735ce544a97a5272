// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// Directories in which some kind of installation has what discovery looks for.
struct Place {
  const char*
      variable; ///< environment variable with the directory it is under; nullptr for an absolute pattern
  const char* pattern; ///< path in which each component may contain one `*`
  const char* origin;  ///< name for messages
};

struct Expansion {
  std::vector<std::string>
      directories; ///< that fit the pattern; a pattern without `*` gives itself, present or not
  std::vector<std::string> looked; ///< directories that were listed for a `*`, or would have been
};

/// If a pattern matches several names, the newest version comes first (gcc-13 before gcc-9).
Expansion expand(const Files& files, const Environment& environment, const Place& place);

/// The absolute directories of PATH, in order. Empty and relative entries mean the current directory, which
/// is not trusted.
std::vector<std::string> path_directories(const Environment& environment);

/// Why a path that has no status cannot be used, as text after its name: `does not exist`, or which parent
/// directory this user may not search.
std::string absence(const Files& files, const std::string& path);

} // namespace hostpin
