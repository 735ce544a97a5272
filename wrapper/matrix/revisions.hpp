// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/matrix/inputs.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// A path that differs between two revisions.
struct TreeChange {
  enum class Kind { added, deleted, changed };
  Kind kind = Kind::changed;
  std::string path; ///< relative to the top of the working tree

  bool operator==(const TreeChange&) const = default;
};

/// Reads what `git diff-tree -z --name-status` prints.
Result<std::vector<TreeChange>> read_changes(std::string_view printed);

/// Whether a change can be seen by an access whose answer was `input.state`. `in_tree`: the path of the input
/// as in `path_in_tree`. Attributes of git decide about the content of files below them.
bool can_see(const Input& input, const std::string& in_tree, const TreeChange& change);

/// The same change in the other direction.
TreeChange reversed(TreeChange change);

/// A git repository with a working tree.
class Repository {
public:
  /// That of a directory. The error is git's.
  static Result<Repository> of(const std::string& directory);

  const std::string& top() const { return top_; } ///< as `realpath` prints it
  /// 40 or 64 hexadecimal digits; an error if there is no such revision.
  Result<std::string> commit(const std::string& revision) const;
  /// Both ends and what is between, oldest first, along first parents; an error if `good` is not among them.
  Result<std::vector<std::string>> history(const std::string& good, const std::string& bad) const;
  Result<std::vector<TreeChange>> changes(const std::string& from, const std::string& to) const;
  /// What differs in one file, as git prints it with no lines around (`git diff -U0`); empty: nothing does.
  Result<std::string> difference(const std::string& from, const std::string& to,
                                 const std::string& path) const;
  /// The first line of a commit's message.
  std::string subject(const std::string& commit) const;
  /// Makes `directory` a clone with exactly the files of a commit, which shares the objects of the
  /// repository; one that is there already is cleaned. The repository itself is not changed.
  Result<void> check_out(const std::string& commit, const std::string& directory) const;

private:
  explicit Repository(std::string top) : top_(std::move(top)) {}
  std::string top_;
};

/// The nearest directory at or above `directory` that has `.git`; empty: there is none.
std::string repository_above(const std::string& directory);

} // namespace hostpin::matrix
