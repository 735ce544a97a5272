// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"

#include <span>
#include <vector>

namespace hostpin {

/// Runs questions with -###, which print the programs that a driver would run. A GCC from 11 on that got
/// arguments in a response file passes all of them on in another one, which is gone when the question is
/// answered. It is asked again to keep that (-save-temps), and its arguments stand in the errors instead of
/// `@FILE`.
std::vector<Outcome> run_shown(std::span<const Command> questions, const Processes& processes);

} // namespace hostpin
