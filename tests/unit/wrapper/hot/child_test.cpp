// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/child.hpp"
#include "wrapper/hot/system.hpp"

#include <csignal>

#include <doctest/doctest.h>

using namespace hostpin::hot;

namespace {

int run(const char* script) {
  char* const environment[] = {nullptr};
  return run_and_wait({"/bin/sh", "-c", script, nullptr}, environment);
}

} // namespace

TEST_CASE("the exit code of a child is ours") {
  CHECK(run("exit 0") == 0);
  CHECK(run("exit 37") == 37);
}

TEST_CASE("a program that cannot be executed is complained of") {
  char* const environment[] = {nullptr};
  CHECK(run_and_wait({"/nonexistent/program", nullptr}, environment) == exit_broken);
}

TEST_CASE("a child's status is known although our parent ignored SIGCHLD") {
  signal(SIGCHLD, SIG_IGN);
  CHECK(run("exit 37") == 37);
  signal(SIGCHLD, SIG_DFL);
}

TEST_CASE("a signal that a process sends us is the child's") {
  CHECK(run("trap 'exit 9' TERM; kill -TERM $PPID; while :; do :; done") == 9);
}

TEST_CASE("a program that dies of a signal is told from one that fails") {
  char* const environment[] = {nullptr};
  const Ended killed = run({"/bin/sh", "-c", "kill -KILL $$", nullptr}, environment);
  CHECK(killed.signal == SIGKILL);
  CHECK(killed.code == exit_broken);
  const Ended failed = run({"/bin/sh", "-c", "exit 7", nullptr}, environment);
  CHECK(failed.signal == 0);
  CHECK(as_it_ended(failed) == 7);
}
