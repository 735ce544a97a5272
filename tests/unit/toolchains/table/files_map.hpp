// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <map>
#include <string>
#include <utility>

namespace hostpin {

/// A few regular files in memory. `forbidden` exists but cannot be read.
class FilesMap final : public Files {
public:
  explicit FilesMap(std::map<std::string, std::string> contents, std::string forbidden = {})
      : contents_(std::move(contents)), forbidden_(std::move(forbidden)) {}

  std::optional<FileStatus> status(const std::string& path) const override {
    if (path != forbidden_ && contents_.find(path) == contents_.end())
      return std::nullopt;
    FileStatus status;
    status.kind = FileStatus::Kind::regular;
    return status;
  }
  std::optional<std::string> real_path(const std::string& path) const override {
    return status(path) ? std::optional(path) : std::nullopt;
  }
  std::vector<std::string> entries(const std::string&) const override { return {}; }
  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    const auto found = contents_.find(path);
    if (path == forbidden_)
      return failure(path + ": Permission denied");
    if (found == contents_.end())
      return failure(path + ": No such file or directory");
    if (found->second.size() > limit)
      return failure(path + ": larger than " + std::to_string(limit) + " bytes");
    return found->second;
  }

private:
  std::map<std::string, std::string> contents_;
  std::string forbidden_;
};

} // namespace hostpin
