// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/discovery.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

/// Runs drivers, all in one batch; the n-th answer belongs to the n-th candidate, whose command may contain
/// flags. They see the environment unchanged, because it affects what a link uses. An error if a driver
/// cannot be used; what a working one does not print is null, with the reason.
std::vector<Result<Facts>> driver_facts(const Files& files, const Processes& processes,
                                        std::span<const DriverCandidate> candidates);

/// The flags of a compile command without those that name outputs, choose what is made, or write files
/// besides: they do not affect the libraries, and the query must not write files.
std::vector<std::string> asking_flags(std::span<const std::string> flags);

} // namespace hostpin::probe
