// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>
#include <vector>

namespace hostpin {

/// Those of SIGHUP, SIGINT, SIGQUIT and SIGTERM that end this process, or will once it lets them in: it does
/// not ignore them.
std::vector<int> ending_signals();

/// Holds requests to end this thread's process back until destroyed, so that something can be removed first;
/// one that came meanwhile then ends it. Threads that begin meanwhile hold them back as well, those that are
/// there already do not.
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

/// Whether such a request is held back just now, by whomever.
bool asked_to_end();

} // namespace hostpin
