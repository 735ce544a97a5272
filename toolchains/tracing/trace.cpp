// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/tracing/trace.hpp"

#include "toolchains/base/os_error.hpp"
#include "toolchains/base/start.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/threads.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/tracing/system_calls.hpp"
#include "toolchains/tracing/tracee.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace hostpin::tracing {

namespace {

using Clock = std::chrono::steady_clock;

/// Without `//`, `/./` and a slash at the end.
std::string tidy(const std::string& path) {
  std::string text;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    const std::string_view part(path.data() + at, end - at);
    if (part != "/" && part != "/.")
      text += part;
    at = end;
  }
  return text.empty() ? "/" : text;
}

bool is_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || directory == "/" || path[directory.size()] == '/');
}

/// git's own cache of the working tree's state, which `git status` and `git describe --dirty` write again,
/// also by a name for the time until it is whole.
bool is_index_of_git(std::string_view path) {
  constexpr std::string_view git = "/.git/";
  const std::size_t found = path.rfind(git);
  if (found == std::string_view::npos)
    return false;
  path.remove_prefix(found + git.size());
  return path == "index" ||
         (path.ends_with("/index") && (path.starts_with("worktrees/") || path.starts_with("modules/")));
}

bool is_lock_of_git(std::string_view path) {
  constexpr std::string_view lock = ".lock";
  return path.ends_with(lock) && is_index_of_git(path.substr(0, path.size() - lock.size()));
}

/// Copies output to the log up to the limit, and drops the rest.
class LogWriter {
public:
  LogWriter(int from, int log, std::size_t limit)
      : over_(eventfd(0, EFD_CLOEXEC)),
        thread_(thread_for([this, from, log, limit] { copy(from, log, limit); })) {}
  ~LogWriter() { finish(); }
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Whether there is a thread that copies.
  bool runs() const { return thread_.joinable(); }

  /// Waits until all output that is there now is in the log; of a process that escaped more may come.
  void finish() {
    if (!thread_.joinable())
      return;
    eventfd_write(over_.number(), 1);
    thread_.join();
  }
  bool truncated = false, failed = false; ///< valid after `finish`

private:
  void copy(int from, int log, std::size_t limit) {
    constexpr std::size_t block = 65536;
    std::vector<char> buffer(block);
    for (;;) {
      std::array<pollfd, 2> ready{{{from, POLLIN, 0}, {over_.number(), POLLIN, 0}}};
      if (poll(ready.data(), ready.size(), -1) < 0)
        continue; // interrupted
      if (ready[0].revents == 0)
        return;
      const ssize_t got = read(from, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return;
      const std::size_t part = std::min(static_cast<std::size_t>(got), limit);
      truncated = truncated || part < static_cast<std::size_t>(got);
      failed = failed || (part > 0 && !write_all(log, {buffer.data(), part}));
      limit -= part;
    }
  }

  Descriptor over_; ///< readable once no output is expected
  std::thread thread_;
};

/// Follows the processes of one command.
class Tracer {
public:
  /// Not `traced`: it waits for the first process only.
  Tracer(const TracedCommand& command, Trace& trace, bool traced)
      : command_(command), trace_(trace), traced_(traced) {}

  /// More than the trace has may be accessed from now on.
  void doubt(std::string_view why) {
    if (trace_.uncertain.empty() && !command_.tree.empty())
      for (const auto& [path, access] : whole_tree(command_.tree).accessed)
        see(path, access);
    trace_.uncertain.insert(std::string(why));
  }

  TracedOutcome follow(pid_t first) {
    TracedOutcome outcome = followed(first);
    for (const auto& [path, access] : rewritten_)
      note_access(trace_, path, access);
    return outcome;
  }

private:
  TracedOutcome followed(pid_t first) {
    const auto end = Clock::now() + command_.time;
    tracees_.insert(first);
    TracedOutcome outcome;
    bool main_has_ended = false;
    Watch watch(command_.limits);
    const auto kills = kernel_kills();
    // A process that was just forked is traced, but not known yet: only the kernel knows when none is left.
    while (traced_ || !tracees_.empty()) {
      int status = 0;
      const auto excess = outcome.end == TracedOutcome::End::exited && !main_has_ended
                              ? watch.excess(Clock::now())
                              : std::nullopt;
      if (excess) {
        outcome.end = *excess == Excess::memory ? TracedOutcome::End::too_much_memory
                                                : TracedOutcome::End::too_much_space;
        kill_all();
      }
      const pid_t process = waitpid(-1, &status, __WALL | WNOHANG);
      if (process == 0) {
        if (command_.time.count() > 0 && Clock::now() >= end &&
            (outcome.end == TracedOutcome::End::exited || outcome.end == TracedOutcome::End::signalled)) {
          outcome.end = TracedOutcome::End::timed_out;
          kill_all();
        }
        wait_for_child(command_.time.count() > 0 ? end : Clock::time_point::max());
        continue;
      }
      if (process < 0) {
        if (errno == EINTR)
          continue;
        break;
      }
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        tracees_.erase(process);
        if (outcome.end == TracedOutcome::End::exited && !main_has_ended)
          outcome.was_killed = outcome.was_killed || is_of_kill(status);
        if (process == first) {
          main_has_ended = true;
          if (outcome.end == TracedOutcome::End::exited) {
            outcome.end = WIFEXITED(status) ? TracedOutcome::End::exited : TracedOutcome::End::signalled;
            outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
          }
          kill_all();
        }
        continue;
      }
      tracees_.insert(process);
      if (tracees_.size() > command_.processes && outcome.end == TracedOutcome::End::exited &&
          !main_has_ended) {
        outcome.end = TracedOutcome::End::too_many;
        kill_all();
      }
      if (main_has_ended || outcome.end != TracedOutcome::End::exited)
        kill(process, SIGKILL);
      stopped(process, status);
    }
    outcome.out_of_memory = outcome.was_killed && kills && kernel_kills() > kills;
    return outcome;
  }

  /// Without tracing only the shell is seen, whose exit code has the signal.
  static bool is_of_kill(int status) {
    constexpr int killed = 128 + SIGKILL;
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == killed;
  }

  /// Sleeps until a child changes its state. SIGCHLD is blocked in this thread.
  static void wait_for_child(Clock::time_point end) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    constexpr std::int64_t longest =
        1'000'000'000; // one that was sent before it was blocked is not missed for long
    std::int64_t left = longest;
    if (end != Clock::time_point::max())
      left = std::clamp<std::int64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(end - Clock::now()).count(), 1, longest);
    const timespec time{left / longest, left % longest};
    sigtimedwait(&child, nullptr, &time);
  }

  /// The first process leads a group. Of processes that are not traced only these are known.
  void kill_all() const {
    for (const pid_t process : tracees_)
      kill(traced_ ? process : -process, SIGKILL);
  }

  void stopped(pid_t process, int status) {
    const int signal = WSTOPSIG(status);
    const int event = status >> 16;
    if (event == PTRACE_EVENT_SECCOMP) {
      system_call(process);
      resume(process, 0);
    } else if (event == PTRACE_EVENT_STOP) {
      const bool stays = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
      ptrace(stays ? PTRACE_LISTEN : PTRACE_CONT, process, nullptr, nullptr);
    } else {
      if (event == PTRACE_EVENT_EXEC)
        loaded(process);
      resume(process, event == 0 ? signal : 0);
    }
  }

  /// The kernel itself opens a script's interpreter and a program's loader. At this stop nothing else is
  /// mapped.
  void loaded(pid_t process) {
    for (const std::string& path : mapped_files(process))
      see(path, static_cast<unsigned>(Access::content));
  }

  bool is_ignored(const std::string& path) const {
    return std::ranges::any_of(command_.ignored,
                               [&](const std::string& directory) { return is_below(path, directory); });
  }

  void see(const std::string& path, unsigned access) {
    if (!is_ignored(path))
      note_access(trace_, path, access);
  }

  static void resume(pid_t process, int signal) {
    ptrace(PTRACE_CONT, process, nullptr,
           reinterpret_cast<void*>(static_cast<std::intptr_t>(signal))); // NOLINT
  }

  void system_call(pid_t process) {
    current_ = process;
    const auto call = stopped_call(process);
    if (!call) {
      doubt("a system call could not be read");
      return;
    }
    const CallRow* const row = row_of(*call);
    if (row == nullptr) {
      doubt("a program of another machine type ran");
      return;
    }
    if (!row->uncertain.empty()) {
      if (is_uncertain(process, *call, *row))
        doubt(row->uncertain);
      return;
    }
    for (const PathArgument& argument : row->paths)
      if (argument.path >= 0 || argument.directory >= 0)
        note(process, *call, *row, argument);
  }

  static bool is_uncertain(pid_t process, const SystemCall& call, const CallRow& row) {
    if (!row.is_connection)
      return true;
    // Only addresses of networks: a local socket (nscd, a display) is this machine's configuration.
    std::uint16_t family = 0;
    const iovec local{&family, sizeof family};
    const iovec remote{reinterpret_cast<void*>(call.arguments[1]), sizeof family}; // NOLINT
    if (process_vm_readv(process, &local, 1, &remote, 1, 0) != sizeof family)
      return true;
    return family == address_inet || family == address_inet6;
  }

  void note(pid_t process, const SystemCall& call, const CallRow& row, const PathArgument& argument) {
    const auto text = path_of(process, call, argument);
    if (!text)
      return;
    constexpr auto content = static_cast<unsigned>(Access::content);
    constexpr unsigned follows = content | static_cast<unsigned>(Access::status);
    unsigned access = access_of(call, argument);
    if ((access & content) != 0 && text->ends_with("/ld.so.cache") && is_of_loader(process, call.instruction))
      access ^= content | static_cast<unsigned>(Access::lookup);
    const std::string path =
        outside(*text, (access & (follows | static_cast<unsigned>(Access::lookup))) != 0);
    if (row.is_execution)
      note_interpreters(path);
    if (is_ignored(path) || is_lock_of_git(path))
      return;
    unsigned read = access & access_mask;
    if ((access & (access_created | access_changed)) != 0) {
      struct stat found {};
      const bool exists = lstat(path.c_str(), &found) == 0;
      if ((access & (exists ? access_changed : access_created)) == 0)
        read |= static_cast<unsigned>(Access::status); // the call fails, because of what is there or is not
      else if (is_index_of_git(path))
        note_rewritten(path);
      else
        trace_.written.insert(path);
    }
    if (read != 0)
      note_access(trace_, path, read);
    if ((access & access_entered) != 0)
      note_entered(path);
  }

  /// The processes write it themselves: it counts as they leave it, unless others had changed it before.
  void note_rewritten(const std::string& path) {
    const auto known = trace_.accessed.find(path);
    if (known == trace_.accessed.end() || has_changed(trace_, path))
      return;
    rewritten_[path] |= known->second;
    trace_.accessed.erase(known);
    trace_.stamps.erase({path, static_cast<unsigned>(Access::target)});
  }

  /// Paths that start in a directory are seen by its real path: with other targets of the symlinks on the way
  /// to it they lead elsewhere.
  void note_entered(const std::string& path) {
    struct stat found {};
    if (entered_.insert(path).second && stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode))
      resolved(path, true);
  }

  /// What an ignored path leads to by symlinks, which may not be ignored; other paths as they are. Links in
  /// /dev lead to devices, or to what was opened by its own path.
  std::string outside(const std::string& path, bool whole) {
    return is_ignored(path) && !is_below(path, "/dev") ? resolved(path, whole) : path;
  }

  /// The path without symlinks. Those on the way are accessed; the last part is not followed unless `whole`.
  std::string resolved(const std::string& path, bool whole) {
    constexpr int most = 40; // as in the kernel
    std::string way, rest = path;
    for (int links = 0; !rest.empty() && links <= most;) {
      const std::size_t end = std::min(rest.find('/', 1), rest.size());
      const std::string part = rest.substr(0, end);
      rest.erase(0, end);
      if (part == "/..")
        way.resize(std::min(way.rfind('/'), way.size()));
      else if (part != "/" && part != "/.")
        way += part;
      std::array<char, longest_path> buffer{};
      const ssize_t size = rest.empty() && !whole ? 0 : readlink(way.c_str(), buffer.data(), buffer.size());
      if (size <= 0)
        continue;
      std::string target(buffer.data(), static_cast<std::size_t>(size));
      if (way == "/proc/self" || way == "/proc/thread-self") // of that process, not of this one
        target = fmt::format("/proc/{}", current_);
      if (way.starts_with("/proc/") && target.ends_with(" (deleted)")) // a file without a name
        return path;
      ++links;
      see(way, static_cast<unsigned>(Access::target));
      way.resize(target.starts_with('/') ? 0 : way.rfind('/'));
      rest.insert(0, target.starts_with('/') ? target : '/' + target);
    }
    return way.empty() ? "/" : way + rest;
  }

  /// The kernel opens a script's interpreter by the path in its first line, which may be a symlink.
  void note_interpreters(const std::string& path) {
    constexpr int most = 5; // scripts that interpret scripts, as in the kernel
    std::string script = path;
    for (int count = 0; count < most && executed_.insert(script).second; ++count) {
      const std::string interpreter = interpreter_of(script);
      if (interpreter.empty())
        return;
      script = outside(without_parents(tidy(interpreter)), true);
      see(script, static_cast<unsigned>(Access::content));
    }
  }

  std::optional<std::string> path_of(pid_t process, const SystemCall& call, const PathArgument& argument) {
    std::string path;
    if (argument.path >= 0) {
      const auto text = string_at(process, call.arguments[static_cast<std::size_t>(argument.path)]);
      if (!text)
        return std::nullopt; // the call fails with EFAULT
      path = *text;
    }
    if (path.starts_with('/'))
      return without_parents(tidy(path));
    std::string link = fmt::format("/proc/{}/cwd", process);
    if (argument.directory >= 0) {
      const auto number = static_cast<int>(call.arguments[static_cast<std::size_t>(argument.directory)]);
      if (number != AT_FDCWD)
        link = fmt::format("/proc/{}/fd/{}", process, number);
    }
    const auto base = link_target(link);
    if (!base)
      return std::nullopt; // not a file, or the call fails with EBADF
    return without_parents(tidy(*base + '/' + path));
  }

  /// `dir/..` by the real parent of `dir`; where that is the same directory as without symlinks, by the
  /// shorter text. Each text is looked up once.
  std::string without_parents(const std::string& path) {
    if (path.find("/..") == std::string::npos)
      return path;
    const auto known = parents_.find(path);
    if (known != parents_.end())
      return known->second;
    std::string result;
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at + 1), path.size());
      const std::string part = path.substr(at, end - at);
      at = end;
      if (part != "/..") {
        result += part;
        continue;
      }
      // without the directory, or with another target of a symlink on the way, the path leads elsewhere
      see(result, static_cast<unsigned>(Access::status));
      note_entered(result);
      std::array<char, longest_path> real{};
      if (realpath(result.c_str(), real.data()) != nullptr)
        result = real.data();
      result.resize(std::min(result.rfind('/'), result.size()));
    }
    if (result.empty())
      result = "/";
    return parents_.emplace(path, std::move(result)).first->second;
  }

  const TracedCommand& command_;
  Trace& trace_;
  bool traced_;
  std::set<pid_t> tracees_;
  pid_t current_ = 0; ///< whose call is read
  std::unordered_map<std::string, std::string> parents_;
  std::unordered_set<std::string> entered_, executed_; ///< what was looked up once
  std::map<std::string, unsigned> rewritten_;          ///< accesses to files that the processes wrote again
};

/// The child's part, between fork and exec: only system calls.
[[noreturn]] void become(const TracedCommand& command, char* const* argv, char* const* envp, int go,
                         int output, int failed) {
  char byte = 0;
  constexpr int not_started = 127;
  const auto fail = [failed] {
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = write(failed, &reason, sizeof reason);
    _exit(not_started);
  };
  if (read(go, &byte, 1) != 1)
    _exit(not_started);
  const int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      dup2(output, STDERR_FILENO) < 0 || chdir(command.directory.c_str()) != 0)
    fail();
  // Where memory runs out, the kernel ends a cell rather than what else runs on the machine.
  if (const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] const ssize_t written = write(score, "500", 3);
    close(score);
  }
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  if (byte == 't' ? !filter_calls() : prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    fail();
  execve("/bin/sh", argv, envp);
  fail();
  _exit(not_started);
}

/// Blocks SIGCHLD in this thread until destroyed, so that `sigtimedwait` gets it.
class ChildSignal {
public:
  ChildSignal() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &former_);
  }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;
  ~ChildSignal() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

private:
  sigset_t former_{};
};

/// Kills the descendants whose parents have ended, which this process gets as children.
void kill_orphans() {
  do {
    std::ifstream list(fmt::format("/proc/self/task/{}/children", getpid()));
    for (pid_t process = 0; list >> process;)
      kill(process, SIGKILL);
  } while (waitpid(-1, nullptr, 0) >= 0);
}

} // namespace

Result<TracedOutcome> run_traced(const TracedCommand& command, Trace& trace) {
  const std::string log_name = command.log.empty() ? "standard error" : command.log;
  const Descriptor log(command.log.empty()
                           ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
                           : open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (log.number() < 0)
    return os_failure("write " + log_name);
  std::array<int, 2> go{}, output{}, failed{};
  if (pipe2(go.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0 ||
      pipe2(failed.data(), O_CLOEXEC) != 0)
    return os_failure("make a pipe");
  const Descriptor go_read(go[0]), go_write(go[1]), output_read(output[0]), failed_read(failed[0]);
  std::optional<Descriptor> output_write(std::in_place, output[1]), failed_write(std::in_place, failed[1]);
  const std::vector<std::string> words{"sh", "-e", "-c", command.shell};
  const auto argv = pointers(words), envp = pointers(command.variables);
  const ChildSignal blocked;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t process = fork();
  if (process < 0)
    return os_failure("start a process");
  if (process == 0) {
    setpgid(0, 0);
    become(command, argv.data(), envp.data(), go[0], output[1], failed[1]);
  }
  constexpr long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                           PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  const bool traced = command.recorded && can_read_calls() &&
                      ptrace(PTRACE_SEIZE, process, nullptr, reinterpret_cast<void*>(options)) == 0; // NOLINT
  Tracer tracer(command, trace, traced);
  if (!traced && command.recorded)
    tracer.doubt("this machine does not let processes be traced");
  LogWriter writer(output[0], log.number(), command.output);
  if (!writer.runs()) {
    kill(process, SIGKILL);
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
    return failure(fmt::format("cannot make a thread that writes {}", log_name),
                   "raise the limit of processes (ulimit -u, the container's) or of memory (ulimit -v)");
  }
  output_write.reset();
  failed_write.reset();
  const char byte = traced ? 't' : 'p';
  if (write(go[1], &byte, 1) != 1)
    kill(process, SIGKILL);
  TracedOutcome outcome = tracer.follow(process);
  if (!traced)
    kill_orphans();
  writer.finish();
  int reason = 0;
  if (read(failed[0], &reason, sizeof reason) == sizeof reason)
    return os_failure("run /bin/sh in " + command.directory, reason);
  outcome.truncated = writer.truncated;
  if (writer.failed)
    return failure(fmt::format("cannot write all of {}", log_name), "free space on its file system");
  return outcome;
}

} // namespace hostpin::tracing
