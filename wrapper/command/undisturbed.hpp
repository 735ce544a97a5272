// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/command/context.hpp"

#include <functional>

namespace hostpin {

/// Runs what writes files that outlive it: programs that could not be run for want of something of ours are
/// an error, and nothing is decided without them. Who asks us to end while programs run is obeyed once what
/// was made for them is removed; while another's lock is waited for, at once; while files are written, once
/// they are.
int undisturbed(const Context& context, const std::function<int(const Context&)>& work);

/// Runs what only shows what it found, as far as it can be found. Who asks us to end is obeyed once the
/// programs that run are ended and what was made for them is removed.
int tidied(const Context& context, const std::function<int(const Context&)>& work);

} // namespace hostpin
