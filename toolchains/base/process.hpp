// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin {

/// One program to run. Its environment is the caller's, with LC_ALL=C for readable messages, and without the
/// empty and relative entries of PATH.
struct Command {
  std::vector<std::string> argv;     ///< argv[0] is looked up on PATH unless it contains a slash
  std::string input;                 ///< bytes for its standard input
  std::vector<std::string> unset;    ///< environment variables the program must not see
  std::chrono::milliseconds time{0}; ///< wall time limit; 0: Limits::time
  bool own_temporary = false;        ///< its TMPDIR is a new directory that is removed afterwards
  /// Once its output contains this text, the program is killed, and counts as if it had exited with 0. Empty:
  /// it runs to its end.
  std::string enough = {};
  /// It is one of hostpin's programs, which prints errors for `reported_error` (error_report.hpp).
  bool errors_as_json = false;
};

/// The variable by which a program is asked for that; other programs do not inherit it.
inline constexpr const char* errors_variable = "HOSTPIN_ERRORS";

struct Outcome {
  enum class End { exited, signalled, timed_out, not_started };
  End end = End::not_started;
  int code = 0; ///< exit status, signal number, errno when not started, or the limit in ms when timed out
  std::string output;
  std::string errors;
  bool truncated = false; ///< a stream was longer than the limit and was cut

  bool ok() const { return end == End::exited && code == 0 && !truncated; }
  bool operator==(const Outcome&) const = default;
};

/// The first words of the text for a program that was ended at its time limit.
inline constexpr std::string_view unanswered_text = "did not answer within";

/// One line of text: `exited with 1`, `killed by signal 11`, `did not answer within 5 s`, `Permission
/// denied`.
std::string describe(const Outcome& outcome);

/// The kind of an error that has this outcome: `no_answer` if it was ended at the time limit.
constexpr ErrorKind kind_of(const Outcome& outcome) {
  return outcome.end == Outcome::End::timed_out ? ErrorKind::no_answer : ErrorKind::other;
}

/// A descriptor from which the bytes can be read, or -1 with errno set. It is an unnamed file: unlike with a
/// pipe, writer and reader never wait for each other.
int open_input(const std::string& bytes);

/// Runs programs whose behaviour is not trusted: they may hang, crash, flood or fork.
class Processes {
public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  virtual ~Processes() = default;

  /// Runs all commands, several at a time; the n-th outcome belongs to the n-th command.
  virtual std::vector<Outcome> run(std::span<const Command> commands) const = 0;
};

/// Thrown to unwind when a termination signal is pending.
struct Interrupted {};

/// Real processes, each in its own process group, killed as a group at the time limit.
class HostProcesses final : public Processes {
public:
  struct Limits {
    std::chrono::milliseconds time{5000};      ///< wall time for each program
    std::size_t output = std::size_t{4} << 20; ///< bytes stored of each stream
    unsigned parallel = 0;                     ///< programs at once; 0 means the number of cores, at least 2
    /// For callers that store outcomes: throw std::system_error if this process has no descriptor, process or
    /// memory left for a program. Otherwise such a program counts as not started.
    bool strict = false;
    /// Signals, blocked by the caller, that end a run once they are pending: its programs are killed and
    /// Interrupted is thrown, so that their temporary files are removed. If empty, a run that creates a
    /// temporary directory blocks them itself.
    std::vector<int> ending{};
  };

  HostProcesses() = default;
  explicit HostProcesses(Limits limits) : limits_(std::move(limits)) {}

  std::vector<Outcome> run(std::span<const Command> commands) const override;

private:
  Limits limits_;
};

} // namespace hostpin
