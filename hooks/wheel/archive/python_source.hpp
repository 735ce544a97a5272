// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace hostpin::wheel {

/// What a source in Python, or a list in JSON next to one, has about shared libraries. Nothing is evaluated:
/// a name that the code composes, or reads elsewhere, is not seen.
struct PythonSource {
  bool opens = false; ///< it calls ctypes.CDLL or the like with an argument other than None
  /// Whole string constants that are file names of shared libraries, without directories: `librmm.so`, or
  /// patterns as of fnmatch(3), `libcublas.so.*[0-9]`. Those that cuda.pathfinder is called with are here as
  /// such patterns.
  std::set<std::string> libraries;
  std::set<std::string> imports; ///< packages that it imports, by the first part of their names
};

/// Larger sources are not read.
constexpr std::size_t longest_source = std::size_t{1} << 20U;

/// Whether a file name is one of a source that is read: *.py, *.json.
bool is_python_source(std::string_view file_name);

/// Whether the name is one of a file that runs when a package is imported.
bool is_package_file(std::string_view path);

/// Whether there is something in it but imports; for speed, as most sources have nothing.
bool may_have_libraries(std::string_view text);

/// Reads a source of at most `longest_source` bytes. Comments do not count, and damaged sources are read as
/// far as they go.
PythonSource read_python_source(std::string_view text);

} // namespace hostpin::wheel
