// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/isolation.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hostpin {

namespace {

void make_descriptors_close_on_exec() {
#ifdef SYS_close_range
  constexpr unsigned close_on_exec = 1U << 2; // CLOSE_RANGE_CLOEXEC, absent from older headers
  if (::syscall(SYS_close_range, 3U, ~0U, close_on_exec) == 0)
    return;
#endif
  const long open_limit = std::clamp(::sysconf(_SC_OPEN_MAX), 1024L, 65536L);
  for (int fd = 3; fd < open_limit; ++fd)
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

} // namespace

void isolate() {
  ::setpgid(0, 0);
  // Our end is our programs' end: outside our process group they would miss a Ctrl-C.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Boost 1.81 closes only descriptors above its own error pipe, so lower ones of this process would be
  // inherited.
  make_descriptors_close_on_exec();
}

SignalAction::SignalAction(int signal, void (*handler)(int)) : signal_(signal) {
  struct sigaction wanted {};
  wanted.sa_handler = handler;
  ::sigaction(signal_, &wanted, &former_);
}

SignalAction::~SignalAction() {
  ::sigaction(signal_, &former_, nullptr);
}

} // namespace hostpin
