// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/child.hpp"

#include "wrapper/hot/system.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hostpin::hot {

namespace {

// Requests to terminate. The child may clean up first, so the launcher passes the signal on and waits; any
// other signal that kills the launcher ends the child through its death signal.
constexpr std::array forwarded = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static_assert(sizeof(std::sig_atomic_t) >= sizeof(pid_t));
volatile std::sig_atomic_t running = 0; // a signal handler can only use globals
volatile std::sig_atomic_t unheard = 0; // a request to terminate that came when no child ran

/// A terminal sends its signals to the child as well, and GCC's drivers leave their temporary files behind
/// when they are interrupted twice.
void pass_on(int number, siginfo_t* from, void* /*context*/) {
  const int reason = errno;
  if (running == 0)
    unheard = number;
  else if (from->si_code <= 0) // a process sent it, not the kernel
    kill(running, number);
  errno = reason;
}

/// The signal handlers at start, restored in the child before it executes, and in the launcher after the
/// child ended.
class Signals {
public:
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  Signals() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask_); // nothing arrives before there is a child to pass it on to
    for (std::size_t i = 0; i < forwarded.size(); ++i)
      sigaction(forwarded[i], nullptr, &actions_[i]);
    // A parent that ignores SIGCHLD makes the launcher ignore it too, and the child's status would be lost.
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &children_);
  }

  ~Signals() {
    for (std::size_t i = 0; i < forwarded.size(); ++i)
      sigaction(forwarded[i], &actions_[i], nullptr);
    restore();
    if (unheard != 0)
      raise(unheard);
    unheard = 0;
  }

  void restore() const {
    sigaction(SIGCHLD, &children_, nullptr);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }

  /// In the parent, once there is a child.
  void listen() const {
    struct sigaction passing {};
    passing.sa_sigaction = pass_on;
    passing.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < forwarded.size(); ++i)
      if (actions_[i].sa_handler != SIG_IGN)
        sigaction(forwarded[i], &passing, nullptr);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }

private:
  std::array<struct sigaction, forwarded.size()> actions_{};
  struct sigaction children_ {};
  sigset_t mask_{};
};

[[noreturn]] void be_child(pid_t parent, const Signals& signals, const std::vector<const char*>& argv,
                           char* const* envp) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) // killed before the death signal was set
    _exit(exit_broken);
  signals.restore();
  _exit(become(argv, envp));
}

/// Dies of the signal that killed the child; returns only if that signal is blocked or ignored.
int die_of(int number) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none); // the child has dumped its core, and the launcher's would overwrite it
  signal(number, SIG_DFL);
  raise(number);
  return 128 + number;
}

} // namespace

Ended run(const std::vector<const char*>& argv, char* const* envp) {
  const Signals signals;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0)
    be_child(parent, signals, argv, envp);
  running = child;
  signals.listen();
  if (child < 0) {
    complain(concat({"cannot start ", argv[0], ": ", strerror(errno)}));
    return {exit_broken, 0};
  }
  // Until the child is reaped, no other process can have its pid.
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) {
      complain(concat({"cannot determine how ", argv[0], " ended: ", strerror(errno)}));
      return {exit_broken, 0};
    }
  running = 0;
  waitpid(child, nullptr, 0); // reaps it; how it ended is already known
  return ended.si_code == CLD_EXITED ? Ended{ended.si_status, 0} : Ended{exit_broken, ended.si_status};
}

int as_it_ended(const Ended& ended) {
  return ended.signal == 0 ? ended.code : die_of(ended.signal);
}

int run_and_wait(const std::vector<const char*>& argv, char* const* envp) {
  return as_it_ended(run(argv, envp));
}

} // namespace hostpin::hot
