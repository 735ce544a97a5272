// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/judge/judge.hpp"
#include "hooks/wheel/repair/plan.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/terminal.hpp"

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// What every subcommand needs.
struct Context {
  const Files& files;
  std::string data; ///< directory of the data files
  Terminal terminal;
  const Environment& environment;
};

/// The arguments after the name of a subcommand.
using Arguments = std::span<const char* const>;

// Exit codes of the subcommands: 0 nothing found, or the wheels are alike; 1 there is a finding at or above
// --fail-on, or they differ; 2 a file cannot be read or installed, not all of it was scanned, or wrong usage.
inline constexpr int exit_clean = 0, exit_found = 1, exit_failed = 2;

/// `hostpin wheel check`.
Result<int> run_check(const Context& context, Arguments arguments);
/// `hostpin wheel diff`.
Result<int> run_diff(const Context& context, Arguments arguments);
/// `hostpin wheel split`.
Result<int> run_split(const Context& context, Arguments arguments);
/// `hostpin wheel select`.
Result<int> run_select(const Context& context, Arguments arguments);

/// `hostpin wheel repair`.
Result<int> run_repair(const Context& context, Arguments arguments);

/// The command line of `check`.
struct CheckOptions {
  std::string help; ///< the text of --help if requested; then nothing else counts
  std::string wheel;
  std::vector<std::string> with; ///< wheels that are installed with it
  std::string site;              ///< a directory of installed ones; empty: none
  std::string expected, driver, budget;
  std::string junit; ///< a file; empty: none
  bool json = false, sarif = false, notes = false, rules = false;
  std::optional<leak::Severity> fail_on = leak::Severity::error; ///< nothing: never
};
Result<CheckOptions> check_options(Arguments arguments);

/// The command line of `diff`.
struct DiffOptions {
  std::string help;
  std::string before, after;
  bool json = false;
};
Result<DiffOptions> diff_options(Arguments arguments);

/// The command line of `split`.
struct SplitOptions {
  std::string help;
  std::string wheel, gpus;
  std::string directory; ///< empty: the wheel's
  int level = 6;
  bool may_change_nvidia = false, json = false;
};
Result<SplitOptions> split_options(Arguments arguments);

/// The command line of `select`.
struct SelectOptions {
  std::string help;
  std::string directory, python;
  std::string gpu, driver, platform, name, version; ///< empty: none, or this machine's
  bool json = false;
};
Result<SelectOptions> select_options(Arguments arguments);
/// The command line of `repair`.
struct RepairOptions {
  std::string help;
  std::string wheel, output; ///< `output`: a directory
  std::vector<std::string> with, library_paths;
  std::string site; ///< as of `check`
  RepairTerms terms;
  std::string gpus; ///< whose device code stays; empty: all
  bool sbom = false;
  std::optional<int> level; ///< of compression; nothing: what is compressed stays so
};
Result<RepairOptions> repair_options(Arguments arguments);

/// Reads `100M`: bytes, or K, M, G for powers of 1024. Nothing for anything else.
std::optional<std::uint64_t> bytes_named(std::string_view text);

/// Reads the data files; the policies are those of the wheel's architecture, by its name.
Result<Tables> load_tables(const Context& context, const std::string& wheel);

/// Reads wheels that are installed with the one that is checked.
Result<std::deque<WheelFile>> read_others(const std::vector<std::string>& paths);

/// The absolute path of the directory that --site names; empty for none.
Result<std::string> site_directory(const std::string& directory);

/// How many threads read a wheel.
unsigned reading_threads();

} // namespace hostpin::wheel
