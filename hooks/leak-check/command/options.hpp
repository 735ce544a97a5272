// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/rules.hpp"
#include "hooks/leak-check/finding/shard_number.hpp"
#include "toolchains/base/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What `hostpin leak-check` was asked.
struct LeakOptions {
  bool help = false;
  bool rules = false;
  bool notes = false; ///< show them as well
  bool json = false;
  bool sarif = false;
  bool fix = false;        ///< rewrite what can be repaired safely
  bool strict = false;     ///< an exception that matches nothing fails, too
  bool metadata = false;   ///< leave out the content
  bool no_unpack = false;  ///< open nothing that is packed
  bool watched = false;    ///< somebody looks on at a terminal while it scans
  bool merge = false;      ///< unite the reports that `paths` names
  bool no_binding = false; ///< judge by what is named here alone
  std::string binding;     ///< a bound directory; empty: the one in force
  std::vector<std::string> forbidden;
  std::vector<std::string> forbidden_files;
  std::vector<std::string> vendor;
  std::vector<std::string> stores;
  std::vector<std::string> build_directories;
  std::string exceptions; ///< a file; empty: none
  std::string driver_directory;
  std::string compat_directory;
  std::vector<std::string> unfixed;                  ///< names of rules whose findings --fix leaves
  std::optional<Severity> fail_on = Severity::error; ///< nothing: never
  std::vector<std::string> paths;                    ///< to scan, or reports
  std::string files_from;                            ///< a file that names more of them; empty: none
  std::uint64_t memory = 0; ///< bytes that the decoders of one file may keep; 0: as a scan does by itself
  std::string root;         ///< a staged tree, to be judged as if it lay at /; empty: none
  std::string below;        ///< what lies there is told as below it; empty: nothing is
  std::optional<ShardNumber> shard; ///< look at that part of the files alone, and write it for `merge`
};

/// The text of --help.
extern const char* const leak_usage;

/// The paths of a list: one a line or, where the list holds a NUL byte, one up to each NUL. Each once,
/// sorted; nothing of a path is special, so that blanks and # belong to it.
std::vector<std::string> listed_paths(std::string_view list);

/// Reads the words behind the program's name.
Result<LeakOptions> leak_options(std::span<const char* const> arguments);

} // namespace hostpin
