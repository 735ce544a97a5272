// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace hostpin::hot {

/// Runs a program in our place and waits for it, so that the caller cannot tell: it has our input and output,
/// gets the signals that are sent to us, ends when we are killed, and we die of the signal that it dies of.
/// Returns its exit code; what kept it from starting was complained about.
int run_and_wait(const std::vector<const char*>& argv, char* const* envp);

} // namespace hostpin::hot
