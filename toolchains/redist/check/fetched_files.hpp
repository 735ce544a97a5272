// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"

#include <map>
#include <span>
#include <string>

namespace hostpin::redist {

/// The file system, with documents that were fetched: each is a regular file whose path is its URL.
class FetchedFiles final : public Files {
public:
  explicit FetchedFiles(const Files& files) : files_(files) {}

  /// Fetches those of the arguments that are URLs, by `program`, the path of redist-fetch; without URLs it
  /// does not run. The error is the program's, of the first URL that could not be fetched. Passwords in URLs
  /// are refused, as URLs are in messages and locks.
  Result<void> fetch(std::span<const std::string> arguments, const std::string& program,
                     const Processes& processes);

  std::optional<FileStatus> status(const std::string& path) const override;
  std::optional<std::string> real_path(const std::string& path) const override;
  std::vector<std::string> entries(const std::string& directory) const override;
  Result<std::string> read(const std::string& path, std::size_t limit) const override;

private:
  const Files& files_;
  std::map<std::string, std::string> contents_; ///< by URL
};

} // namespace hostpin::redist
