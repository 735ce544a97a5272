// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/terminal.hpp"

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

/// Prints every rule with its severity, explanation and cure.
Result<int> run_rules(const Context& context, Arguments arguments);

} // namespace hostpin::redist
