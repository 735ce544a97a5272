// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/file_lock.hpp"
#include "toolchains/base/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace hostpin::setup {

// Names below the directory that is set up.
inline constexpr const char* record_name = "setup.toml";
inline constexpr const char* work_name = ".work";
inline constexpr const char* lock_name = ".lock";
inline constexpr const char* licenses_name = "licenses";
inline constexpr const char* toolchain_name = "toolchain";

/// What a directory is before a setup.
enum class Content {
  absent,
  empty,
  own,     ///< of an earlier setup, complete or not
  foreign, ///< other files
};

/// The error if it cannot be read, or is not a directory.
Result<Content> content_of(const std::string& directory);

/// The directory that is set up, held open. Its content, owner and mode are judged by the descriptor.
/// Somebody who may write above it can give its name to another directory: `check` comes before any use of
/// the name.
class Place {
public:
  /// Creates the directory, with its parents, if there is none, and its `.work`. An error, before anything is
  /// written, if it holds other files, if others may replace files in it, or if programs cannot be run from
  /// there.
  static Result<Place> prepare(const std::string& directory);
  Place(Place&& other) noexcept;
  Place& operator=(Place&&) = delete;
  ~Place();

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; } ///< as it was named
  /// A path that leads this process to the open directory; its name where /proc is not mounted.
  std::string here() const;
  /// An error if its name leads to another directory by now, or others may write to it.
  Result<void> check() const;

private:
  Place(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_;
  std::string path_;
};

/// Waits for the directory's lock. `waiting` is called once if another process has it, with that process's
/// number, or 0 if it is not known. On a file system without locks nothing is held. Throws Interrupted
/// (toolchains/base/process.hpp) if a termination signal is pending.
Result<FileLock> lock_directory(const Place& place, const std::function<void(long)>& waiting);

/// An error if the file system of the directory has less free space than that.
Result<void> check_space(const std::string& directory, std::uint64_t bytes);

/// Removes a directory with its content, also where its directories are read-only. What cannot be removed is
/// left.
void remove_tree(const std::string& directory);

/// The error of a failed write, with a hint that fits its reason.
Error write_error(const std::string& doing, const std::string& path, int reason);

/// Puts `made` where `final` is: what is there is removed afterwards, so that it is replaced in two renames.
Result<void> replace_tree(const std::string& made, const std::string& final, const std::string& work);

} // namespace hostpin::setup
