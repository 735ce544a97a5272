// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace hostpin {

/// The disk, for as long as nobody moves its directories: where one of them really is, or that there is none,
/// is found out once, so that the real path of a file takes one system call, and not one for each component.
/// What lies in a directory is looked at each time. For one thread at a time.
class RememberedFiles final : public Files {
public:
  std::optional<std::string> real_path(const std::string& path) const override;

  std::optional<FileStatus> status(const std::string& path) const override { return disk_.status(path); }
  std::vector<std::string> entries(const std::string& directory) const override {
    return disk_.entries(directory);
  }
  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    return disk_.read(path, limit);
  }

private:
  const std::optional<std::string>& real_directory(const std::string& path) const;

  DiskFiles disk_;
  mutable std::unordered_map<std::string, std::optional<std::string>> directories_; ///< as spelt
};

} // namespace hostpin
