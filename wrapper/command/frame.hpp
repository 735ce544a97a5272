// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/survey/request.hpp"
#include "wrapper/command/context.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace CLI {
class App; // CLI/CLI.hpp takes seconds to compile: for those units only that add options
} // namespace CLI

namespace hostpin::command {

/// The first line of the help of `hostpin`.
extern const char* const description;

/// main's arguments, with `help [COMMAND]` and `version` as the options of the same meaning.
std::vector<char*> with_usual_arguments(int argc, char** argv);

/// Parses arguments, the first being the program's name, with the help and the errors that all commands of
/// `hostpin` have. The exit code if there is nothing left to do: help or the version was printed, or an error
/// was reported.
std::optional<int> parse(CLI::App& app, std::span<char* const> arguments, const Environment& environment);

/// The options --toolkit, --stdenv, --host and --allow-unsupported.
void add_request(CLI::App& app, Request& request);

/// The options --target and --sysroot.
void add_target(CLI::App& app, Request& request);

/// Command lines as given, for checks that the parser does not make; the error, if one is wrong.
using Misuse = std::function<std::optional<Error>(const CLI::App& command, std::span<char* const> arguments)>;

/// A command of `hostpin` that is a separate program, since its component may be absent.
struct SeparateCommand {
  const char* name; ///< as in `installed_programs`
  std::function<void(CLI::App&)> add_options;
  std::function<int(const Context&)> run; ///< with the options parsed; the exit code
  Misuse misuse = {};                     ///< empty: nothing else can be wrong
};

/// The main function of its program: the same help, errors and exit codes as of commands of `hostpin` itself.
int separate_main(int argc, char** argv, char** envp, const SeparateCommand& command);

} // namespace hostpin::command
