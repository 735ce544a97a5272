// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/tracing/watch.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::tracing {

/// How a process and its descendants accessed a path; the values can be combined.
enum class Access : unsigned {
  content = 1, ///< opened, executed, or loaded by the kernel
  status = 2,  ///< stat(2), access(2), or a directory that became the current one
  listing = 4, ///< the names in a directory
  target = 8,  ///< the target of a symlink
  lookup = 16, ///< libraries that a loader looked up in its cache, whose names are base names of other paths
};

/// What a process tree accessed, by path: absolute, as the kernel got it (symlinks are not resolved), without
/// `//` and `/./`. Whether something is there is not part of it: a path that was looked for in vain counts
/// as well.
struct Trace {
  std::map<std::string, unsigned> accessed; ///< combinations of Access
  /// If set: text for what is at a path, for access `target` or `listing`, which differs after a change.
  std::function<std::string(const std::string& path, unsigned access)> stamp;
  /// What that was before the first access, by path and `target` or `listing`.
  std::map<std::pair<std::string, unsigned>, std::string> stamps;
  std::set<std::string> written;   ///< created, changed, renamed or removed
  std::set<std::string> uncertain; ///< why there may be more that the result depends on
};

/// Accesses of each kind to all files, directories and links of a tree.
Trace whole_tree(const std::string& directory);

/// Whether a path that a trace has the stamp of was changed since the first access to it.
bool has_changed(const Trace& trace, const std::string& path);

/// Adds an access that is about to be made.
void note_access(Trace& trace, const std::string& path, unsigned access);

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
