// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hostpin::leak {

/// The disk, with the real paths of directories cached, missing ones too: the real path of a file then takes
/// one system call instead of one for each component. Directories must not be moved meanwhile. Their contents
/// are not cached. Not thread-safe.
class CachedFiles final : public Files {
public:
  std::optional<std::string> real_path(const std::string& path) const override { return resolved(path); }

  std::optional<FileStatus> status(const std::string& path) const override { return disk_.status(path); }
  std::vector<std::string> entries(const std::string& directory) const override {
    return disk_.entries(directory);
  }
  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    return disk_.read(path, limit);
  }

private:
  /// Looks up string_views without a copy.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view path) const { return std::hash<std::string_view>()(path); }
  };

  std::optional<std::string> resolved(std::string_view path) const;
  /// nullptr where there is none.
  const std::string* real_directory(std::string_view path) const;

  DiskFiles disk_;
  mutable std::unordered_map<std::string, std::optional<std::string>, Hash, std::equal_to<>>
      directories_; ///< as spelt
};

/// The file system as it will be once a staged tree (DESTDIR) is installed at the root: every path is looked
/// up in the tree first, component by component and symlink by symlink, and then on this machine. A tree that
/// is a whole system, with its own loader, is `alone`: nothing outside counts.
class RootedFiles final : public Files {
public:
  /// `root`: an existing directory, absolute, symlinks resolved.
  RootedFiles(std::string root, bool alone) : root_(std::move(root)), alone_(alone) {}

  std::optional<FileStatus> status(const std::string& path) const override;
  std::optional<std::string> real_path(const std::string& path) const override;
  std::vector<std::string> entries(const std::string& directory) const override;
  Result<std::string> read(const std::string& path, std::size_t limit) const override;

  /// Where to open the file of that path now; nothing if there is none.
  std::optional<std::string> on_disk(const std::string& path) const;
  /// The path that a file will have after the install: without the root, symlinks above it resolved. Nothing
  /// for a file outside the tree.
  std::optional<std::string> installed_path(const std::string& file) const;

  const std::string& root() const { return root_; }
  bool is_alone() const { return alone_; }

private:
  /// Where a path without symlinks is on disk now.
  std::optional<std::string> place_of(const std::string& path) const;

  std::string root_;
  bool alone_;
  DiskFiles disk_;
};

/// A file system in which members of archives are files below the archive, as if it were a directory. They
/// have a status and a real path, but cannot be opened.
class LaidOutFiles final : public Files {
public:
  explicit LaidOutFiles(const Files& files) : files_(files) {}

  /// `path` is below `archive`, both normalised. Directories between them need no call.
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
  std::set<std::string> members_; ///< without directories: a hostile name may have thousands of them
};

} // namespace hostpin::leak
