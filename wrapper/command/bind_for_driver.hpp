// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/command/commands.hpp"

namespace hostpin {

/// Makes the plan that the static driver asked for, keeps it in the cache, and prints its bytes on stdout.
/// Without a writable cache it says so and prints a plan that has no home.
int run_bind_for_driver(const Context& context, const BindOptions& options);

} // namespace hostpin
