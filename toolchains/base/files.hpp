// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// What stat returns for a path, symlinks followed.
struct FileStatus {
  enum class Kind { regular, directory, other };
  Kind kind = Kind::other;
  std::uint64_t size = 0;    ///< bytes
  std::int64_t modified = 0; ///< nanoseconds since the epoch
  std::int64_t changed = 0;  ///< likewise, of the last change of content or inode, which no user can set
  bool executable = false;   ///< some execute bit is set
};

/// The file system as discovery sees it; tests pass a map of paths.
class Files {
public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  virtual ~Files() = default;

  /// Nothing when the path does not exist or cannot be reached.
  virtual std::optional<FileStatus> status(const std::string& path) const = 0;
  /// The path with every symlink resolved; nothing when it does not exist.
  virtual std::optional<std::string> real_path(const std::string& path) const = 0;
  /// Names in a directory, sorted, without `.` and `..`; empty when it cannot be read.
  virtual std::vector<std::string> entries(const std::string& directory) const = 0;
  /// The content of a regular file of at most `limit` bytes; an error names the path and the reason.
  virtual Result<std::string> read(const std::string& path, std::size_t limit) const = 0;
  /// As exchangeable_by_others in toolchains/base/ancestors.hpp; only the disk has other users.
  virtual std::string exchangeable(const std::string& /*path*/) const { return {}; }
};

class DiskFiles final : public Files {
public:
  /// What to do if a file cannot be accessed for a reason local to this process (`is_trouble`).
  enum class Trouble {
    absence, ///< treat it as absent
    thrown,  ///< throw std::system_error, for callers that store results that depend on it
  };

  explicit DiskFiles(Trouble trouble = Trouble::absence) : trouble_(trouble) {}

  std::optional<FileStatus> status(const std::string& path) const override;
  std::optional<std::string> real_path(const std::string& path) const override;
  std::vector<std::string> entries(const std::string& directory) const override;
  Result<std::string> read(const std::string& path, std::size_t limit) const override;

  std::string exchangeable(const std::string& path) const override;

private:
  /// Handles a failed access to `path`; errno has the reason.
  void note(const char* doing, const std::string& path) const;

  Trouble trouble_;
};

/// Symlinks are followed; false when the path cannot be reached.
bool is_directory(const Files& files, const std::string& path);

/// Nanoseconds since the epoch; taken before files are read.
std::int64_t now();

/// Used as the time of a file whose content may have changed since it was read: an answer that depends on it
/// is not cached.
inline constexpr std::int64_t unsettled = -1;

/// The file's current status, zeros if there is none; its time is `unsettled` if it was written, replaced or
/// created since `asked` or shortly before. A file moved over another one keeps an old `modified`, but not an
/// old `changed`.
FileStatus settled_status(const std::string& path, std::int64_t asked, const Files& files);

} // namespace hostpin
