// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>

namespace hostpin {

/// Called in a child before its exec: creates a process group that is killed when the parent ends, sets
/// signals as a shell would, and closes all inherited descriptors but the three standard ones. Makes system
/// calls only.
void isolate();

/// Sets a signal's action while programs run; the destructor restores the former one.
class SignalAction {
public:
  SignalAction(int signal, void (*handler)(int));
  SignalAction(const SignalAction&) = delete;
  SignalAction& operator=(const SignalAction&) = delete;
  ~SignalAction();

private:
  int signal_;
  struct sigaction former_ {};
};

} // namespace hostpin
