// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>
#include <vector>

namespace hostpin {

/// Those of SIGHUP, SIGINT, SIGQUIT and SIGTERM that terminate this process, now or once they are unblocked:
/// it does not ignore them.
std::vector<int> termination_signals();

/// Blocks termination signals in this thread until destroyed, so that something can be removed first; a
/// signal that arrived in between then terminates the process. Threads created in between block them as well,
/// existing ones do not.
class DeferTermination {
public:
  DeferTermination();
  DeferTermination(const DeferTermination&) = delete;
  DeferTermination& operator=(const DeferTermination&) = delete;
  ~DeferTermination();

  const std::vector<int>& signals() const { return signals_; }

private:
  std::vector<int> signals_ = termination_signals();
  sigset_t former_{};
};

/// True if a termination signal is pending, even if another part of the program blocked it.
bool termination_pending();

} // namespace hostpin
