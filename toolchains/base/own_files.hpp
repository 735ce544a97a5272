// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

namespace hostpin {

/// The disk, of which only files are read that this user or root owns and nobody else may write. Each file
/// is judged after it was opened, so that it cannot be exchanged in between.
class OwnFiles final : public Files {
public:
  std::optional<FileStatus> status(const std::string& path) const override { return disk_.status(path); }
  std::optional<std::string> real_path(const std::string& path) const override {
    return disk_.real_path(path);
  }
  std::vector<std::string> entries(const std::string& directory) const override {
    return disk_.entries(directory);
  }
  Result<std::string> read(const std::string& path, std::size_t limit) const override;

private:
  DiskFiles disk_;
};

} // namespace hostpin
