// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hostpin {

/// The file system as it will be once a staged tree (DESTDIR) lies at the root: every path is looked up in
/// the tree first, component by component and symlink by symlink, and then on this machine, which the tree is
/// laid over. A tree that is a whole system, with a loader of its own, is `alone`: nothing outside of it
/// counts.
class RootedFiles final : public Files {
public:
  /// `root`: an existing directory, absolute, symlinks resolved.
  RootedFiles(std::string root, bool alone) : root_(std::move(root)), alone_(alone) {}

  std::optional<FileStatus> status(const std::string& path) const override;
  std::optional<std::string> real_path(const std::string& path) const override;
  std::vector<std::string> entries(const std::string& directory) const override;
  Result<std::string> read(const std::string& path, std::size_t limit) const override;

  /// Where the file of that path is to be opened now; nothing when there is none.
  std::optional<std::string> on_disk(const std::string& path) const;
  /// The path that a file of this machine will have, symlinks above it resolved: without the root before it.
  /// Nothing for one that does not lie in the tree.
  std::optional<std::string> once_there(const std::string& file) const;

  const std::string& root() const { return root_; }
  bool is_alone() const { return alone_; }

private:
  struct Found {
    std::string path; ///< symlinks resolved; empty for the root directory
    std::string disk;
  };
  std::optional<Found> resolve(const std::string& path) const;
  std::optional<std::string> place_of(const std::string& path) const;

  std::string root_;
  bool alone_;
  DiskFiles disk_;
};

/// A file system in which members of archives are files below the archive, as they will be below a directory
/// where it is unpacked. They can be looked at, and not opened.
class LaidOutFiles final : public Files {
public:
  explicit LaidOutFiles(const Files& files) : files_(files) {}

  /// `path` lies below `archive`, both normalised. Directories between them need no call.
  void add(const std::string& path, const std::string& archive);

  std::optional<FileStatus> status(const std::string& path) const override;
  std::optional<std::string> real_path(const std::string& path) const override;
  std::vector<std::string> entries(const std::string& directory) const override {
    return files_.entries(directory);
  }
  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    return files_.read(path, limit);
  }

private:
  std::optional<FileStatus::Kind> kind_of(const std::string& normal_path) const;

  const Files& files_;
  std::set<std::string> archives_;
  std::set<std::string> members_; ///< no directories: one hostile name may have thousands above it
};

} // namespace hostpin
