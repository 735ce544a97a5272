// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

// A build directory keeps the decision that it was configured with. The record is in the user's cache, under
// the directory's path: a file in the directory itself is never trusted.

namespace hostpin::hot {

/// What is stored of a configured build directory.
struct BuildRecord {
  std::string build;    ///< the build directory
  std::string mark;     ///< a path in it that a new configuration removes first, or creates again
  std::string home;     ///< the binding in the cache that it was configured with
  std::string decision; ///< the same as text
  bool device = false;  ///< configured by nvcc, or by a program that it runs; not by a plain `c++`
  std::string caller;   ///< the nvcc that configured it by running hostpin's `c++`; empty: hostpin's, or none
};
std::string write_build_record(const BuildRecord& record);
std::optional<BuildRecord> read_build_record(std::string_view bytes); ///< nothing if damaged

/// The cache file with the record of a build directory, which is identified by its path and inode; empty if
/// the directory cannot be examined.
std::string build_record_file(const std::string& cache, std::string_view build);

/// The record of the nearest directory around this one that was configured and, according to CMake, still
/// uses the same nvcc. A damaged record does not count; it is reported if `noted`.
std::optional<BuildRecord> find_build_record(const std::string& cache, std::string_view current_directory,
                                             bool noted = true);

/// Stores a record, and removes some that are older than a month and whose directories are gone.
void store_build_record(const std::string& cache, const BuildRecord& record);

/// The value of `set(NAME "VALUE")` in a file that CMake wrote.
std::string_view value_set(std::string_view text, std::string_view name);

/// The parent directory; empty if there is none.
std::string_view parent(std::string_view path);

} // namespace hostpin::hot
