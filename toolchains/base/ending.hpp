// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>
#include <vector>

namespace hostpin {

/// Those of SIGHUP, SIGINT, SIGQUIT and SIGTERM that terminate this process, now or once they are unblocked:
/// it does not ignore them.
std::vector<int> ending_signals();

/// Blocks termination signals in this thread until destroyed, so that something can be removed first; a
/// signal that arrived in between then terminates the process. Threads created in between block them as well,
/// existing ones do not.
class EndingHeldBack {
public:
  EndingHeldBack();
  EndingHeldBack(const EndingHeldBack&) = delete;
  EndingHeldBack& operator=(const EndingHeldBack&) = delete;
  ~EndingHeldBack();

  const std::vector<int>& signals() const { return signals_; }

private:
  std::vector<int> signals_ = ending_signals();
  sigset_t former_{};
};

/// True if a termination signal is pending, whoever blocked it.
bool asked_to_end();

} // namespace hostpin
