// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"

namespace hostpin {

/// `hostpin stdlib-probe facts`: the standard library of a compiler, or of headers alone.
int run_facts(const ProbeContext& context, std::span<const char* const> arguments);

} // namespace hostpin
