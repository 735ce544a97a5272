// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/termination.hpp"

#include <algorithm>

namespace hostpin {

std::vector<int> termination_signals() {
  std::vector<int> signals;
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    struct sigaction action {};
    // A blocked signal is pending even where it is ignored, as SIGHUP is under nohup.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      signals.push_back(signal);
  }
  return signals;
}

DeferTermination::DeferTermination() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals_)
    sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, &former_);
}

DeferTermination::~DeferTermination() {
  pthread_sigmask(SIG_SETMASK, &former_, nullptr);
}

bool termination_pending() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  const std::vector<int> signals = termination_signals();
  return std::any_of(signals.begin(), signals.end(),
                     [&](int signal) { return sigismember(&pending, signal) == 1; });
}

} // namespace hostpin
