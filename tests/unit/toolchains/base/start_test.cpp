// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"
#include "toolchains/base/start.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

/// From now on these system calls of the process fail with this errno. False if the kernel takes no filter.
bool refuse(std::initializer_list<long> calls, int error) {
  std::vector<sock_filter> filter{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<unsigned>(offsetof(seccomp_data, nr))}};
  for (const long call : calls) {
    filter.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<unsigned>(call)});
    filter.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)});
  }
  filter.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// What `work` returns in a child process in which newer system calls fail; -1 if it cannot be tried.
int on_old_kernel(int error, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(refuse({SYS_pidfd_open, SYS_close_range, SYS_clone3}, error) ? work() : 255);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
}

int lines_and_status() {
  std::vector<Command> commands;
  for (int i = 0; i < 20; ++i)
    commands.push_back({{"/bin/sh", "-c", "ls /proc/self/fd | wc -l; exit " + std::to_string(i)}, "", {}});
  const std::vector<Outcome> outcomes = HostProcesses().run(commands);
  for (int i = 0; i < 20; ++i) // ls has its three streams, and the directory that it lists
    if (outcomes[static_cast<std::size_t>(i)] != Outcome{Outcome::End::exited, i, "4\n", "", false})
      return i + 1;
  return 0;
}

int killed_at_limit() {
  HostProcesses::Limits limits;
  limits.time = std::chrono::milliseconds(100);
  const Command hangs{{"/bin/sh", "-c", "exec sleep 1000"}, "", {}};
  const Outcome outcome = HostProcesses(limits).run({&hangs, 1}).front();
  return outcome.end == Outcome::End::timed_out && ::waitpid(-1, nullptr, WNOHANG) <= 0 ? 0 : 1;
}

} // namespace

TEST_CASE("programs run, inherit nothing and report their status where newer system calls are missing") {
  for (const int error : {ENOSYS, EPERM}) {
    CAPTURE(error);
    CHECK(on_old_kernel(error, [] { return open_process(::getpid()) < 0 ? 0 : 1; }) == 0);
    CHECK(on_old_kernel(error, lines_and_status) == 0);
    CHECK(on_old_kernel(error, killed_at_limit) == 0);
  }
}

TEST_CASE("a program that cannot be executed has the reason, and leaves no child") {
  const std::vector<std::string> none;
  CHECK(start({"/nonexistent", {"x"}, none, {0, 1, 2}}).error == ENOENT);
  CHECK(start({"/", {"x"}, none, {0, 1, 2}}).error == EACCES);
  CHECK(start({"/bin/sh", {"x"}, none, {0, 1, -1}}).error == EBADF);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}
