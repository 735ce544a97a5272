// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace hostpin::hot {

/// How a program that we started ended.
struct Ended {
  int code = 0;   ///< exit code; of our own when it could not be started
  int signal = 0; ///< that it died of; 0 for none
};

/// Runs a program with our input and output and waits for it. It gets the signals that are sent to us, and
/// ends when we are killed; a request to end that came too late for it is ours again. What kept it from
/// starting was complained about.
Ended run(const std::vector<const char*>& argv, char* const* envp);

/// The exit code to end with as the program did; dies of the signal that it died of.
int as_it_ended(const Ended& ended);

/// Runs a program in our place and waits for it, so that the caller cannot tell.
int run_and_wait(const std::vector<const char*>& argv, char* const* envp);

} // namespace hostpin::hot
