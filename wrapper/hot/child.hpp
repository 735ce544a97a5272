// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace hostpin::hot {

/// How a program that the launcher started ended.
struct Ended {
  int code = 0;   ///< exit code; the launcher's own if it could not be started
  int signal = 0; ///< that killed it; 0 for none
};

/// Runs a program with the launcher's input and output and waits for it. It gets the signals that are sent to
/// the launcher, and ends when the launcher is killed; a request to terminate that came too late for it
/// applies to the launcher. A failure to start it has been reported.
Ended run(const std::vector<const char*>& argv, char* const* envp);

/// The exit code of the program; if a signal killed the program, dies of that signal.
int as_it_ended(const Ended& ended);

/// Runs a program in place of the launcher and waits for it; the caller cannot tell the difference.
int run_and_wait(const std::vector<const char*>& argv, char* const* envp);

} // namespace hostpin::hot
