// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/remembered/driver_ground.hpp"
#include "toolchains/remembered/loaded_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The dependencies of the outcome of a query to an nvcc: the programs and scripts that lead to it, its
/// nvcc.profile, existing or not, its libraries, and the host compiler named on the command line. Nothing if
/// there may be others, or the query failed.
std::optional<Ground> toolkit_ground(const Command& command, const Outcome& outcome, const Files& files,
                                     const LoadedFiles& loaded);

/// `NAME=value` of each variable that an nvcc reads: those with its own prefixes, and those that its
/// nvcc.profile mentions.
std::vector<std::string> toolkit_variables(const Command& command, const Environment& environment,
                                           const Files& files);

} // namespace hostpin
