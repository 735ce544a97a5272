// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace hostpin::pack {

/// Paths that mean the same in an empty root once all of them are there: with each comes every directory and
/// symlink on the way, and what the symlinks lead to.
class Tree {
public:
  /// Whether an entry of a directory, by its name, is wanted.
  using Wanted = std::function<bool(std::string_view name)>;

  /// One file, directory (empty) or symlink with all it leads to. `path` is absolute; false where nothing
  /// is there. A symlink that leads nowhere is taken as it is.
  bool add(const std::string& path);
  /// A directory with everything in it, or those entries that `wanted` takes, each with everything in it. A
  /// file is taken as by add().
  bool add_whole(const std::string& path, const Wanted& wanted = {});

  /// Regular files as they lie, without symlinks in their paths.
  const std::set<std::string>& files() const { return files_; }
  /// Everything, parents before what is in them.
  const std::set<std::string>& entries() const { return entries_; }

private:
  /// The physical path that `path` leads to, everything on the way recorded; empty where it leads nowhere.
  std::string walk(const std::string& path);
  void add_contents(const std::string& directory, const Wanted& wanted);

  std::set<std::string> entries_;
  std::set<std::string> files_;
  std::set<std::string> whole_; ///< directories whose entries were all taken
};

} // namespace hostpin::pack
