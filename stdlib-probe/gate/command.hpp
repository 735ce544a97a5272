// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"

namespace hostpin {

/// `stdlib-probe gate TOOLKIT [--json] [--target T] [--release R]`.
int run_gate(const ProbeContext& context, std::span<const char* const> arguments);

} // namespace hostpin
