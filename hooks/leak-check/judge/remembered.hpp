// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hostpin {

/// The disk, with the real paths of directories cached, missing ones too: the real path of a file then takes
/// one system call instead of one for each component. Directories must not be moved meanwhile. Their contents
/// are not cached. Not thread-safe.
class RememberedFiles final : public Files {
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

} // namespace hostpin
