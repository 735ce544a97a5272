// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hostpin {

/// A member's name as a relative path, without a leading `./` and a trailing slash; empty for the archive's
/// directory itself. Absolute paths, `..`, control characters and what is not UTF-8 are errors.
Result<std::string> member_path(std::string_view name);

/// The members of an archive, in the order in which they come: decides what may be created, so that nothing
/// is created outside of one directory, in it through a symbolic link, or twice. Errors name the member.
class MemberTable {
public:
  enum class Kind { directory, file, link };

  /// Which tree the members make.
  enum class Tree {
    archive, ///< one of NVIDIA's archives: links stay in its top directory, no names differ only in case
    packages ///< packages of a distribution, whose kernel headers have names that differ only in case
  };
  explicit MemberTable(Tree tree = Tree::archive) : tree_(tree) {}

  struct Added {
    std::string path;                     ///< relative, without `.`, `..` and empty names
    std::vector<std::string> directories; ///< to be created first, in this order; `path` too if it is one
  };

  /// A member with its name in the archive, and the target if it is a symbolic link. An empty path: it is the
  /// directory itself, nothing is to be created.
  Result<Added> add(std::string_view name, Kind kind, std::string_view target = {});

  /// The path of the earlier file that a hard link has as its target.
  Result<std::string> hard_link_target(std::string_view name, std::string_view target) const;

  /// The one directory that everything is in; empty if there is none.
  std::string top() const;

  /// Whether all symbolic links stay in the tree, wherever they lead: at each step and through each other.
  /// The tree is the top directory, or everything. Links to what does not exist are allowed.
  Result<void> check_links() const;

  /// Whether there is a member of that path, or one below it.
  bool has(const std::string& path) const { return members_.find(path) != members_.end(); }
  bool is_empty() const { return members_.empty(); }

private:
  struct Member {
    Kind kind = Kind::file;
    std::string target; ///< of a symbolic link
  };

  Result<void> add_one(const std::string& path, Kind kind, std::string_view target,
                       std::vector<std::string>& directories);
  Result<void> follow(const std::string& path, std::size_t least) const;

  Tree tree_;
  std::unordered_map<std::string, Member> members_;
  std::unordered_map<std::string, std::string> folded_; ///< by path in lower case
  std::vector<std::string> links_;
  std::vector<std::string> tops_;
};

} // namespace hostpin
