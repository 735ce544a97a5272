// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/discovery.hpp"

#include <span>
#include <vector>

namespace hostpin {

/// Asks drivers, all in one round; the n-th answer belongs to the n-th candidate, whose command may hold
/// flags. They see the environment as it is, since it takes part in what a link really uses. An error when a
/// driver cannot be used; what a working one does not say is null with the reason.
std::vector<Result<Facts>> driver_facts(const Files& files, const Processes& processes,
                                        std::span<const DriverCandidate> candidates);

} // namespace hostpin
