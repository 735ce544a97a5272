// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Directories in which some kind of installation has what discovery looks for.
struct SearchPattern {
  const char* variable; ///< environment variable with the directory it is under; nullptr for an absolute path
  const char* path;     ///< each component may contain one `*`
  const char* origin;   ///< name for messages
};

struct Expansion {
  std::vector<std::string> directories; ///< that fit; a path without `*` gives itself, present or not
  std::vector<std::string> looked;      ///< directories that were listed for a `*`, or would have been
};

/// If a pattern matches several names, the newest version comes first (gcc-13 before gcc-9).
Expansion expand(const Files& files, const Environment& environment, const SearchPattern& searched);

/// The absolute directories of PATH, in order.
std::vector<std::string> path_directories(const Environment& environment);

/// Why a path that has no status cannot be used, as text after its name: `does not exist`, or which parent
/// directory this user may not search.
std::string absence(const Files& files, const std::string& path);

/// Whether an absolute path is one of hostpin's programs (`nvcc`, `c++`), which discovery must never find: a
/// launcher that selected itself would run itself forever.
using IsOwn = std::function<bool(const std::string& path)>;

/// The usual predicate: true if the file is inside a `libexec/hostpin` directory, is one of `known`
/// (symlinks resolved on both sides), or is in a bound directory, which contains `plan` and `binding.toml`.
/// `files` must outlive the predicate.
IsOwn own_programs(const Files& files, const std::vector<std::string>& known = {});

/// The file to execute: a name with a slash unchanged, any other looked up on PATH, whose relative and empty
/// entries are ignored; nothing if PATH has no such program.
std::optional<std::string> executable(const std::string& name, const Environment& environment);

} // namespace hostpin
