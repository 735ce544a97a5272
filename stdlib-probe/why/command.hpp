// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"

namespace hostpin {

/// `hostpin stdlib-probe why`: which lines of a source need which versioned symbols of libstdc++.
int run_why(const ProbeContext& context, std::span<const char* const> arguments);

} // namespace hostpin
