// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/plan/plan.hpp"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The few effects of the hot path: thin wrappers of system calls.

namespace hostpin::hot {

/// The launcher's own exit codes; every other code is the real tool's.
constexpr int exit_refused = 1; ///< a decision against the call: nothing fits, the named one does not, ...
constexpr int exit_broken = 2;  ///< the decision could not be made or carried out

/// `hostpin: error: ...` and, if there is one, `hint: ...` on stderr, in one write each.
void complain(std::string_view message, std::string_view hint = {}, ErrorKind kind = ErrorKind::other);
/// `hostpin: note: ...` on stderr.
void note(std::string_view message);

/// The part of the text that could not be written: empty if all was, else errno has the reason.
std::string_view write_all(int descriptor, std::string_view text);

std::string concat(std::initializer_list<std::string_view> parts);

/// A variable of a `NAME=value` array; nothing when unset or empty.
std::optional<std::string_view> variable(const char* const* envp, std::string_view name);

/// Current directory; empty if it was removed.
std::string current_directory();

/// The whole content of a regular file, with one open and one read of `limit` bytes at most; `owned`: it must
/// belong to this user or root and be writable by nobody else. errno has the reason if there is nothing.
std::optional<std::string> read_whole(const std::string& path, std::size_t limit, bool owned);

/// A file whose size is not known in advance, such as those in /proc; empty if it cannot be read.
std::string read_endless(const std::string& path);

/// Writes a file atomically in a directory, both readable by this user only; without permission or space,
/// nothing happens.
void replace_private(const std::string& directory, const std::string& path, std::string_view content);

/// The first file that has changed since the decision was made, or cannot be examined; null if there is none.
const plan::PlanFile* first_change(std::span<const plan::PlanFile> files);
/// The same by content: a file with another time but the same bytes is unchanged, and its time is stored in
/// `touched`. Reads the files whose times differ.
const plan::PlanFile* first_new_content(std::span<plan::PlanFile> files);
/// How that file changed: `has changed`, `is gone`, ...
std::string change_of(const plan::PlanFile& file);

/// Whether the directory that holds the `c++` of a plan in the cache still exists.
bool has_home(const plan::Plan& plan);

/// The path by which nvcc is called inside a toolkit view or a tree of links: nvcc finds its parts next to
/// that path, without following links, and so do programs that query it for the toolkit's location. Empty
/// outside of both. `directory`: the plan's, unless the plan is in the cache.
std::string nvcc_in_tree(const plan::Plan& plan, std::string_view directory);

struct Captured {
  int exit_code = 0; ///< 128 + signal if it was killed, 127 if it could not start; errno has the reason
  std::string output;
};
/// Runs a program with stdin closed and stderr shared, and returns its output.
Captured capture(const std::vector<std::string>& argv, char* const* envp);

/// Becomes the program: argv[0] is the path executed. If that failed, reports it and returns the exit code to
/// use.
int become(const std::vector<const char*>& argv, char* const* envp);
/// The same with an argv[0] other than the path executed.
int become(const char* program, const std::vector<const char*>& argv, char* const* envp);

} // namespace hostpin::hot
