// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/terminal.hpp"

#include <span>
#include <string>

namespace hostpin::matrix {

/// What every subcommand needs.
struct Context {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  std::string data;     ///< directory of the data files
  std::string hostpin;  ///< the hostpin program of this installation
  std::string programs; ///< libexec/hostpin
  Terminal terminal;
};

/// The arguments after the name of a subcommand.
using Arguments = std::span<const char* const>;

// Exit codes of the subcommands: 0 fine; 1 a cell failed or is broken; 2 something is not known (a lost or
// missing result, a damaged file), or wrong usage.
inline constexpr int exit_fine = 0, exit_bad = 1, exit_unknown = 2;

Result<int> run_plan(const Context& context, Arguments arguments);
Result<int> run_run(const Context& context, Arguments arguments);
Result<int> run_merge(const Context& context, Arguments arguments);
Result<int> run_diff(const Context& context, Arguments arguments);
Result<int> run_notify(const Context& context, Arguments arguments);
Result<int> run_answer(const Context& context, Arguments arguments);
Result<int> run_bisect(const Context& context, Arguments arguments);
Result<int> run_emit(const Context& context, Arguments arguments);

} // namespace hostpin::matrix
