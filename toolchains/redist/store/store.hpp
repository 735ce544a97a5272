// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::redist {

/// What an archive became in a store.
struct StoredTree {
  std::string path; ///< of the tree: absolute if the store's is, without symbolic links below the store
  std::string tree; ///< SHA-256 of the tree as a Nix archive, 64 digits
  std::string top;  ///< the archive's top directory, which the tree is; empty if it has several
};

/// A directory of unpacked archives, which several processes may use at the same time:
///
/// - `trees/sha256-ARCHIVE`: symbolic link to `../cas/sha256-TREE`; made last, so the tree is complete
/// - `cas/sha256-TREE`: a tree, by its hash as a Nix archive; stored once for all archives that have it
/// - `tops/sha256-ARCHIVE`: the name of the archive's top directory
/// - `partial/sha256-ARCHIVE`: an archive that is being downloaded; `.from` next to it: what it is a part of
/// - `locks/sha256-ARCHIVE`: locked by the process that works at that archive
/// - `members/sha256-TREE`: the list of the tree's files with their digests, written by `compose`
/// - `tmp/`: trees that are being unpacked
///
/// Files in trees are read-only, directories are not. Other programs may read cas/ and trees/, nothing else.
class Store {
public:
  explicit Store(std::string directory) : directory_(std::move(directory)) {}

  /// The tree of an archive with this SHA-256, if it is there.
  std::optional<StoredTree> tree(std::string_view sha256) const;

  const std::string& directory() const { return directory_; }
  std::string trees_path(std::string_view sha256) const { return path_in("trees", sha256); }
  std::string cas_path(std::string_view tree) const { return path_in("cas", tree); }
  std::string top_path(std::string_view sha256) const { return path_in("tops", sha256); }
  std::string partial_path(std::string_view sha256) const { return path_in("partial", sha256); }
  std::string lock_path(std::string_view sha256) const { return path_in("locks", sha256); }
  std::string temporary_path() const { return directory_ + "/tmp"; }

  /// Creates its directories.
  Result<void> create() const;

  /// Moves a complete tree from below `temporary_path()` to its final path, unless a tree with this content
  /// is there, and publishes it as that of the archive. The tree must not be written to afterwards.
  Result<StoredTree> add(std::string_view sha256, const std::string& unpacked, std::string_view tree,
                         std::string_view top) const;

private:
  std::string path_in(std::string_view room, std::string_view hash) const {
    return directory_ + '/' + std::string(room) + "/sha256-" + std::string(hash);
  }

  std::string directory_;
};

} // namespace hostpin::redist
