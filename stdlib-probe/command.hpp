// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/terminal.hpp"

#include <span>
#include <string>

namespace hostpin::probe {

/// The inputs of a subcommand of stdlib-probe. The directories are found from the running program.
struct ProbeContext {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  std::string resources; ///< directory whose `include` has Clang's own headers: its -resource-dir
  std::string data;      ///< share/hostpin/data
  Terminal terminal = endless;
};

/// Exit codes, as the hostpin command has them.
constexpr int probe_fine = 0;
constexpr int probe_found = 1;  ///< the answer is no: a clash, an unmet need
constexpr int probe_failed = 2; ///< could not answer; also wrong usage

/// `arguments` are those after the subcommand's name. Reports errors itself and returns the exit
/// code.
using ProbeCommand = int(const ProbeContext& context, std::span<const char* const> arguments);

ProbeCommand run_gate;  ///< which host compilers a toolkit accepts
ProbeCommand run_facts; ///< the standard library of a compiler, or of headers alone
ProbeCommand run_libc;  ///< how a toolkit and a C library declare the same functions
ProbeCommand run_why;   ///< which lines of a source need which versioned symbols of libstdc++

/// Prints the text of --help, as wide as the terminal. Returns the exit code.
int print_help(const ProbeContext& context, const std::string& help);

/// Prints an error on stderr.
inline void report(const Error& error) {
  print_failure(error);
}

/// What every subcommand does with its options: prints the help that they ask for, or lets `print` print what
/// `answer` answers, and returns its exit code.
template <typename Options, typename Answer, typename Print>
int answered(const ProbeContext& context, const Result<Options>& options, Answer answer, Print print) {
  if (options && !options->help.empty())
    return print_help(context, options->help);
  if (options) {
    if (const auto found = answer(*options, context))
      return print(*options, *found);
    else
      report(found.error());
  } else {
    report(options.error());
  }
  return probe_failed;
}

} // namespace hostpin::probe
