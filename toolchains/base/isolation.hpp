// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>

namespace hostpin {

/// Called in a child before its exec: puts it into a process group of its own that ends with us, with signals
/// as a shell would leave them, and without our descriptors but the three standard ones. Makes system calls
/// only.
void isolate();

/// A signal's action while programs run; the former one comes back at the end.
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
