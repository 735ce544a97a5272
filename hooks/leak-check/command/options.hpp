// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/rules.hpp"
#include "toolchains/base/result.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// The command line of `hostpin leak-check`.
struct LeakOptions {
  std::string help; ///< the text of --help if requested
  bool rules = false;
  bool notes = false; ///< include them in the report
  bool json = false;
  bool sarif = false;
  bool fix = false;        ///< rewrite what can be repaired safely
  bool strict = false;     ///< an exception that matches nothing is a failure too
  bool metadata = false;   ///< do not scan contents
  bool no_unpack = false;  ///< do not open packed files
  bool watched = false;    ///< show progress on a terminal during the scan
  bool no_binding = false; ///< judge only by what is named here
  bool null = false;       ///< paths in `files_from` end with a NUL byte, not with a line
  std::string binding;     ///< a bound directory; empty: the one in force
  std::vector<std::string> forbidden;
  std::vector<std::string> forbidden_files;
  std::vector<std::string> vendor;
  std::vector<std::string> stores;
  std::vector<std::string> build_directories;
  std::string exceptions; ///< a file; empty: none
  std::string driver_directory;
  std::string compat_directory;
  std::vector<std::string> unfixed;                  ///< names of rules whose findings --fix does not fix
  std::optional<Severity> fail_on = Severity::error; ///< nothing: never
  std::vector<std::string> paths;                    ///< to scan
  std::string files_from; ///< a file that lists more of them, `-` for standard input; empty: none
  std::string root;       ///< a staged tree, judged as if it were at /; empty: none
  std::string below;      ///< paths in it are reported relative to it; empty: none
};

/// The paths of a list in which each ends with `end`. Each once, sorted, without those in a directory that is
/// listed too, as in the output of `find`. No character of a path is special: blanks and # belong to it.
std::vector<std::string> listed_paths(std::string_view list, char end);

/// Reads such a list from a file, a pipe or, for `-`, standard input; `null`: paths end with a NUL byte
/// instead of a newline. An error if it cannot be read, is longer than 256 MB, or is empty.
Result<std::vector<std::string>> paths_from(const std::string& list, bool null);

/// Parses the arguments after the program's name.
Result<LeakOptions> leak_options(std::span<const char* const> arguments);

} // namespace hostpin::leak
