// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/obtain.hpp"

#include <optional>
#include <span>
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

/// A call made while a build directory is configured: CMake, Meson or autoconf's configure identifies the
/// compiler.
struct Configuration {
  std::string build; ///< the build directory; empty if the call does not show it
  std::string mark;  ///< as in BuildRecord
};
std::optional<Configuration> configuration(std::string_view current_directory,
                                           std::span<const char* const> arguments);

/// What an unbound call stores for a build directory, and reads back.
class BuildDirectory {
public:
  /// `caller`: the nvcc that runs hostpin's `c++`; empty if that nvcc is hostpin's, or there is none.
  BuildDirectory(const Self& self, std::span<const char* const> arguments, bool device, char* const* envp,
                 std::string_view caller = {});

  /// The binding that the call has to follow as if it were bound: `self` becomes the program there. Nothing
  /// loaded and exit code 0 if there is none; then the environment decides.
  Obtained recorded(Self& self, char* const* envp);

  /// Stores what the environment decided if this call configures. If the directory was configured with
  /// something else that no longer exists, returns the exit code of a refusal that names both; else 0.
  int settle(const Loaded& decided) const;

private:
  std::string cache_;
  std::string program_;
  std::string here_;
  std::optional<Configuration> configuration_;
  std::optional<BuildRecord> record_;
  bool device_;
  std::string caller_;
};

} // namespace hostpin::hot
