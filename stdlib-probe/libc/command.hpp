// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"

namespace hostpin {

/// `stdlib-probe libc TOOLKIT DRIVER [FLAGS...]`, or `--headers DIR...` in place of a driver. Exit code 1
/// when there is a clash.
int run_libc(const ProbeContext& context, std::span<const char* const> arguments);

} // namespace hostpin
