// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// What a command asks: from that follows what its outcome rests on, for who remembers outcomes
/// (toolchains/remembered).
enum class Inquiry {
  none,    ///< nothing that is to be remembered
  driver,  ///< what a compiler is: `probe_command`
  link,    ///< how a compiler links, or where it finds libraries
  toolkit, ///< what a toolkit is
};

/// One program to run and look at. Its environment is the caller's, with LC_ALL=C for readable messages.
struct Command {
  std::vector<std::string> argv;     ///< argv[0] is looked up on PATH unless it holds a slash
  std::string input;                 ///< bytes for its standard input
  std::vector<std::string> unset;    ///< environment variables the program must not see
  std::chrono::milliseconds time{0}; ///< wall time for this one; 0: as for all
  Inquiry inquiry = Inquiry::none;
  bool own_temporary = false; ///< its TMPDIR is a directory that is removed afterwards with all in it
  /// Once its output holds this, that is all that was asked for: the program is ended, and counts as one that
  /// exited with 0. Empty: it is to end by itself.
  std::string enough = {};
};

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

/// One line for a person: `exited with 1`, `killed by signal 11`, `did not answer within 5 s`, `Permission
/// denied`.
std::string describe(const Outcome& outcome);

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

/// What is thrown to unwind when somebody asked this process to end.
struct Interrupted {};

/// Real processes through Boost.Process, each in its own process group, killed as a group at the time limit.
class HostProcesses final : public Processes {
public:
  struct Limits {
    std::chrono::milliseconds time{5000};      ///< wall time for each program
    std::size_t output = std::size_t{4} << 20; ///< bytes kept of each stream
    unsigned parallel = 0; ///< programs at once; 0 means as many as there are cores, at least 2
    /// For who writes down what programs answered: that this process had no descriptor, process or memory
    /// left for one is thrown as std::system_error. Else such a program counts as one that did not start.
    bool strict = false;
    /// Signals, blocked by the caller, that end a run while they are pending: its programs are killed and
    /// Interrupted is thrown, so that what was made for them is removed. If empty, a run that makes a
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
