// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"

#include <span>
#include <string_view>

namespace hostpin::probe {

/// A subcommand of `hostpin stdlib-probe`.
struct Subcommand {
  std::string_view name;
  std::string_view purpose;
  ProbeCommand* run;
  unsigned patience; ///< seconds of CPU time that headers may take; 0 if a user's own source is read
};

/// The main function of a program that has these subcommands.
int probe_main(int argc, char** argv, char** envp, std::span<const Subcommand> subcommands);

} // namespace hostpin::probe
