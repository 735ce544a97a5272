// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/command/context.hpp"

#include <functional>

namespace hostpin {

/// Runs work whose files outlive it: if a part of the installation cannot be run, that is an error, and
/// nothing is decided. A request to terminate takes effect, while programs run, once their temporary files
/// are removed; while waiting for another process's lock, at once; while files are written, once they are
/// complete.
int undisturbed(const Context& context, const std::function<int(const Context&)>& work);

/// Runs work that only prints what it finds, as far as it can. A request to terminate takes effect once
/// running programs have ended and their temporary files are removed.
int tidied(const Context& context, const std::function<int(const Context&)>& work);

} // namespace hostpin
