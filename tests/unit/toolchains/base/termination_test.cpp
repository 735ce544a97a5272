// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"
#include "toolchains/base/termination.hpp"

#include <algorithm>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

/// The signal that ends a child process that does this; 0 if it exits with 0, else -1.
int ends_by(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
      ::signal(signal, SIG_DFL);
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status))
    return WTERMSIG(status);
  return WEXITSTATUS(status) == 0 ? 0 : -1;
}

} // namespace

TEST_CASE("a termination signal is pending while it is blocked, and ends the process afterwards") {
  CHECK(ends_by([] {
          {
            const DeferTermination held;
            if (termination_pending())
              return false;
            ::raise(SIGTERM);
            if (!termination_pending())
              return false;
          }
          return true; // too late
        }) == SIGTERM);
}

TEST_CASE("without a signal nothing ends") {
  CHECK(ends_by([] {
          const DeferTermination held;
          return !termination_pending();
        }) == 0);
}

TEST_CASE("an ignored signal does not count") {
  CHECK(ends_by([] {
          ::signal(SIGHUP, SIG_IGN); // as nohup does
          const DeferTermination held;
          ::raise(SIGHUP);
          const auto& signals = held.signals();
          return !termination_pending() &&
                 std::find(signals.begin(), signals.end(), SIGHUP) == signals.end() &&
                 std::find(signals.begin(), signals.end(), SIGINT) != signals.end();
        }) == 0);
}

TEST_CASE("a blocked signal ends running programs") {
  CHECK(ends_by([] {
          const DeferTermination held;
          ::raise(SIGINT);
          HostProcesses::Limits limits;
          limits.ending = held.signals();
          const Command command{{"sleep", "1000"}, "", {}};
          try {
            HostProcesses(limits).run({&command, 1});
          } catch (const Interrupted&) {
            return true;
          }
          return false;
        }) == SIGINT);
}
