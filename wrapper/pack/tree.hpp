// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace hostpin::pack {

/// Paths that mean the same in an empty root once all of them exist: each brings every directory and symlink
/// on the way, and what the symlinks lead to.
class Tree {
public:
  /// Whether an entry of a directory, by its name, is wanted.
  using Wanted = std::function<bool(std::string_view name)>;

  /// Adds one file, directory (empty) or symlink with everything it leads to. `path` is absolute; false if
  /// nothing exists there. A dangling symlink is added as it is.
  bool add(const std::string& path);
  /// Adds a directory with everything in it, or those entries that `wanted` accepts, each with everything in
  /// it. A file is added as by add().
  bool add_whole(const std::string& path, const Wanted& wanted = {});

  /// Regular files by physical path, without symlinks.
  const std::set<std::string>& files() const { return files_; }
  /// Everything, parents before what is in them.
  const std::set<std::string>& entries() const { return entries_; }

private:
  /// The physical path that `path` leads to, with everything on the way added; empty if it leads nowhere.
  std::string walk(const std::string& path);
  void add_contents(const std::string& directory, const Wanted& wanted);

  std::set<std::string> entries_;
  std::set<std::string> files_;
  std::set<std::string> whole_; ///< directories whose entries were all taken
};

} // namespace hostpin::pack
