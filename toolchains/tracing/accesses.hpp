// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace hostpin::tracing {

/// How a process and its descendants accessed a path; the values can be combined.
enum class Access : unsigned {
  content = 1, ///< opened, executed, or loaded by the kernel
  status = 2,  ///< stat(2), access(2), or a directory that became the current one
  listing = 4, ///< the names in a directory
  target = 8,  ///< the target of a symlink
  lookup = 16, ///< libraries that a loader looked up in its cache, whose names are base names of other paths
};

/// What a process tree accessed, by path: absolute, as the kernel got it (symlinks are not resolved), without
/// `//` and `/./`. Whether something is there is not part of it: a path that was looked for in vain counts
/// as well.
struct Trace {
  std::map<std::string, unsigned> accessed; ///< combinations of Access
  /// If set: text for what is at a path, for access `target` or `listing`, which differs after a change.
  std::function<std::string(const std::string& path, unsigned access)> stamp;
  /// What that was before the first access, by path and `target` or `listing`.
  std::map<std::pair<std::string, unsigned>, std::string> stamps;
  std::set<std::string> written;   ///< created, changed, renamed or removed
  std::set<std::string> uncertain; ///< why there may be more that the result depends on
};

/// Accesses of each kind to all files, directories and links of a tree.
Trace whole_tree(const std::string& directory);

/// Whether a path that a trace has the stamp of was changed since the first access to it.
bool has_changed(const Trace& trace, const std::string& path);

/// Adds an access that is about to be made.
void note_access(Trace& trace, const std::string& path, unsigned access);

} // namespace hostpin::tracing
