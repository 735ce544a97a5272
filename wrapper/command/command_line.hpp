// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/command/commands.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// A parsed command line: the subcommand, and the options of each.
struct CommandLine {
  std::string command;
  std::vector<const char*> arguments; ///< of a program of the installation, which parses them
  BindOptions bind;
  PlanRequest plan; ///< hidden options of bind, which the launcher uses
  DoctorOptions doctor;
  ExplainOptions explain;
  EnvOptions env;
  CapabilitiesOptions capabilities;
};

/// Parses the arguments of main into `line`. The exit code if there is nothing left to do: help or the
/// version was printed, or an error was reported.
std::optional<int> parse_command_line(int argc, char** argv, const Environment& environment,
                                      CommandLine& line);

} // namespace hostpin::command
