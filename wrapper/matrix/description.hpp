// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// The axes of a matrix, in the order in which they name a cell.
enum class Axis { project, toolkit, stdenv, host, gpus, c_library };
inline constexpr std::size_t axis_count = 6;
inline constexpr std::array<std::string_view, axis_count> axis_names{"project", "toolkit", "stdenv",
                                                                     "host",    "gpus",    "c_library"};

/// The value of the axis `c_library` for this machine's own; other values are roots, as for
/// `--sysroot`.
inline constexpr std::string_view own_c_library = "/";

/// A value for each axis. Empty: the description has no such axis.
using Coordinates = std::array<std::string, axis_count>;

/// What is built and tested. The commands are for `/bin/sh -e -c`; docs/matrix.md lists their variables.
struct Project {
  std::string name;
  std::string source;                          ///< an absolute directory
  std::string configure, build, install, test; ///< may be empty
  std::string junit;              ///< of the XML files in $BUILD with test cases, a pattern; may be empty
  std::vector<std::string> needs; ///< what the test needs: `gpu`, `gpu:9.0`
  std::vector<std::string> environment; ///< names of variables that the commands get from the caller
  bool lto = false;                     ///< host halves of its .cu files are link-time code
  std::uint64_t memory = 0;             ///< bytes that its processes may have; 0: any
  std::uint64_t disk = 0;               ///< bytes that its files may take; 0: half of what is free
  std::chrono::seconds time{1800};      ///< for each command
  /// By how many percent the files of `$PREFIX` may grow before `diff` lists it; none: their size is not
  /// measured.
  std::optional<unsigned> size_limit{};
};

/// A description of a matrix.
struct Description {
  std::string path; ///< the file
  std::string name;
  /// Of each axis in order, without repetition; never empty: an axis that is not in the file has the empty
  /// value.
  std::array<std::vector<std::string>, axis_count> values;
  std::vector<Project> projects;     ///< of the axis `project`, in its order
  std::vector<Coordinates> excluded; ///< cells with all of these values; an empty one stands for each

  const Project* project(std::string_view name) const;
};

/// Reads a `matrix.toml`. The error has the position of a key that is not known or has no usable value.
Result<Description> read_description(const Files& files, const std::string& path);

} // namespace hostpin::matrix
