// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/plan/plan.hpp"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The few effects of the hot path, as thin as the system calls below them.

namespace hostpin::hot {

/// Exit codes of our own; every other code is the real tool's.
constexpr int exit_refused = 1; ///< a decision against the call: nothing fits, the named one does not, ...
constexpr int exit_broken = 2;  ///< the decision could not be made or carried out

/// `hostpin: error: ...` and, when there is one, `hint: ...` on stderr, in one write each.
void complain(std::string_view message, std::string_view hint = {});
/// `hostpin: note: ...` on stderr.
void note(std::string_view message);

/// What could not be written of the text: empty when all was, else errno says why.
std::string_view write_all(int descriptor, std::string_view text);

std::string concat(std::initializer_list<std::string_view> parts);

/// The running executable with symlinks resolved; empty when the system does not say.
std::string own_path();

/// A variable of a `NAME=value` array; nothing when unset or empty.
std::optional<std::string_view> variable(const char* const* envp, std::string_view name);

/// Current directory; empty when it is gone.
std::string current_directory();

/// A regular file read whole with one open and one read of `limit` bytes at most; `owned`: it must belong to
/// this user or root and be writable by nobody else. errno says why there is nothing.
std::optional<std::string> read_whole(const std::string& path, std::size_t limit, bool owned);

/// A file that does not say its size, as those in /proc; empty where it cannot be read.
std::string read_endless(const std::string& path);

/// Makes a file appear whole in a directory, both readable by this user alone; without the right to write
/// there, or the room, nothing happens.
void replace_private(const std::string& directory, const std::string& path, std::string_view content);

/// The first file that is not as it was when the decision was made, or cannot be looked at; null when all
/// are.
const PlanFile* first_change(std::span<const PlanFile> files);
/// The same by content: a file with another time and the bytes it had is as it was, and its time is stored in
/// `touched`. Reads the files whose times differ.
const PlanFile* first_new_content(std::span<PlanFile> files);
/// What is wrong with that one: `has changed`, `is gone`, ...
std::string change_of(const PlanFile& file);

/// Whether the directory that holds the `c++` of a plan in the cache is still there.
bool has_home(const Plan& plan);

struct Captured {
  int exit_code = 0; ///< 128 + signal when it was killed, 127 when it could not start, and errno says why
  std::string output;
};
/// Runs a program with our stdin closed and stderr shared, and takes what it prints.
Captured capture(const std::vector<std::string>& argv, char* const* envp);

/// Becomes the program: argv[0] is the path executed. Returns the exit code to use when that failed, having
/// complained.
int become(const std::vector<const char*>& argv, char* const* envp);
/// The same with another argv[0] than the path executed.
int become(const char* program, const std::vector<const char*>& argv, char* const* envp);

} // namespace hostpin::hot
