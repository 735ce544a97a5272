// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/tracing/accesses.hpp"
#include "toolchains/tracing/watch.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace hostpin::tracing {

/// A command for a shell, and what it may use.
struct TracedCommand {
  std::string shell;                          ///< for `/bin/sh -e -c`
  std::string directory;                      ///< the current directory
  std::vector<std::string> variables;         ///< `NAME=value`: its whole environment
  std::string log;                            ///< file that its output is appended to; empty: standard error
  std::chrono::seconds time{0};               ///< wall time limit; 0: none
  std::size_t output = std::size_t{16} << 20; ///< bytes appended to the log at most; the rest is dropped
  std::size_t processes = 4096; ///< threads of all processes at a time; more end it, if it can be traced
  UseLimits limits{};           ///< more ends it
  /// Paths below these are neither stored nor uncertain: what the command itself makes, and the kernel's own.
  std::vector<std::string> ignored;
  /// All of this directory counts as accessed from the moment on at which the trace becomes uncertain. Empty:
  /// nothing does.
  std::string tree{};
  bool recorded = true; ///< false: nothing is traced, as if nothing could be, which is not uncertain then
};

/// How it ended.
struct TracedOutcome {
  enum class End { exited, signalled, timed_out, too_many, too_much_memory, too_much_space };
  End end = End::exited;
  int code = 0;               ///< exit status, or signal number
  bool truncated = false;     ///< the log lacks output
  bool was_killed = false;    ///< a process was, by another one or by the kernel
  bool out_of_memory = false; ///< the kernel kills processes of this machine, and it was one of them
};

/// Runs the command and adds to `trace` which files it and its descendants access: system calls are seen
/// in the kernel (seccomp(2), ptrace(2)), so that static programs count too. When it returns no descendant is
/// left. Where the kernel or a sandbox forbids tracing, the command runs without it, and `trace.uncertain`
/// says so. The calling process may have no other child processes. An error if the command cannot be started
/// or the log not be written.
Result<TracedOutcome> run_traced(const TracedCommand& command, Trace& trace);

} // namespace hostpin::tracing
