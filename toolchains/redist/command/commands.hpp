// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/terminal.hpp"

#include <functional>
#include <span>
#include <string>

namespace hostpin::redist {

/// What every subcommand needs.
struct Context {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  std::string data; ///< directory of the data files
  Terminal terminal;
};

/// The arguments after the name of a subcommand.
using Arguments = std::span<const char* const>;

// Exit codes of the subcommands: 0 success; 1 there is a finding at or above --fail-on, or something differs;
// 2 something could not be read or done, or wrong usage.
inline constexpr int exit_clean = 0, exit_found = 1, exit_failed = 2;

/// Prints the help of a subcommand, wrapped for the terminal. Returns exit_clean.
int print_help(const Context& context, const std::string& help);

/// What every subcommand begins with: the error of its options, their help, or `work` with them.
template <typename Options, typename Work>
Result<int> run_with(const Context& context, const Result<Options>& options, const Work& work) {
  if (!options)
    return tl::unexpected(options.error());
  return options->help.empty() ? work(context, *options) : Result<int>(print_help(context, options->help));
}

/// For commands that take long: an error if `write_output` could not write that file.
Result<void> check_output(const std::string& file);

/// Writes a result to a file, as a whole, or to standard output if `file` is empty.
Result<void> write_output(const std::string& file, const std::string& text);

/// Runs `work` in a context whose files include those of the arguments that are URLs, which are fetched
/// first. Nothing is fetched if none is one.
Result<int> with_documents(const Context& context, std::span<const std::string> arguments,
                           const std::function<Result<int>(const Context&)>& work);

/// Reports what of NVIDIA's is in a file, tree or wheel.
Result<int> run_audit(const Context& context, Arguments arguments);

/// Checks manifests and the files that are made from them.
Result<int> run_check(const Context& context, Arguments arguments);

/// Prints what packages of a composed toolkit or lock need, with sizes and reasons.
Result<int> run_closure(const Context& context, Arguments arguments);

/// Composes a toolkit from the archives of a lock.
Result<int> run_compose(const Context& context, Arguments arguments);

/// Compares two manifests or locks.
Result<int> run_diff(const Context& context, Arguments arguments);

/// Prints a lock for another build system.
Result<int> run_emit(const Context& context, Arguments arguments);

/// Selects archives of manifests, and writes a lock.
Result<int> run_lock(const Context& context, Arguments arguments);

/// Prints or writes a feature manifest of archives.
Result<int> run_features(const Context& context, Arguments arguments);

/// Becomes `redist-fetch`, which downloads and unpacks the archives of a lock.
Result<int> run_fetch(const Context& context, Arguments arguments);

/// Runs a build, and prints what it needs of a composed toolkit.
Result<int> run_needs(const Context& context, Arguments arguments);

/// Prints every rule with its severity, explanation and fix.
Result<int> run_rules(const Context& context, Arguments arguments);

} // namespace hostpin::redist
