// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/terminal.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// Directories of this installation, found relative to the running program, so that it can be moved.
struct InstallTree {
  std::string prefix;
  std::string command;  ///< bin/hostpin
  std::string driver;   ///< libexec/hostpin/nvcc, the static executable
  std::string programs; ///< libexec/hostpin, with the programs that some subcommands run
  std::string data;     ///< share/hostpin/data
};

/// From the real path of the running program, which is in bin or in libexec/hostpin; an error if the rest of
/// the core is missing.
Result<InstallTree> find_install_tree(const std::string& program, const Files& files);

/// What a subcommand works with.
struct Context {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  const InstallTree& tree;
  Terminal terminal;
  std::string program; ///< how to run this command from the current shell, quoted
};

/// The exit code of `use`, which gets the context of this process; the command's own if this installation is
/// incomplete (reported).
int with_context(const Environment& environment, const std::function<int(const Context&)>& use);

/// `hostpin` if PATH leads to this installation's, else its path, quoted.
std::string program_word(const Environment& environment, const InstallTree& tree, const Files& files);

/// This user's cache directory; nothing if the environment does not determine one.
std::optional<std::string> cache_of(const Context& context);

/// Exit codes of the command.
constexpr int exit_fine = 0;
constexpr int exit_refused = 1; ///< nothing fits, or a check found something
constexpr int exit_broken = 2;  ///< could not decide or act; also wrong usage

/// Becomes one of the installation's programs. If that failed, reports it and returns the exit code.
int run_program(const InstallTree& tree, const std::string& name, std::vector<const char*> arguments);

/// Prints an error on stderr.
inline void report(const Error& error) {
  print_failure(error);
}

/// `hostpin: note: ...` on stderr.
void report_note(const std::string& text);

/// Runs work whose files outlive it: if a part of the installation cannot be run, that is an error, and
/// nothing is decided. A request to terminate takes effect, while programs run, once their temporary files
/// are removed; while waiting for another process's lock, at once; while files are written, once they are
/// complete.
int run_and_commit(const Context& context, const std::function<int(const Context&)>& work);

/// Runs work that only prints what it finds, as far as it can. A request to terminate takes effect once
/// running programs have ended and their temporary files are removed.
int run_readonly(const Context& context, const std::function<int(const Context&)>& work);

} // namespace hostpin::command
