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

/// What the outcome of a question to an nvcc rests on: the programs and scripts from its name to itself, its
/// nvcc.profile, there or not, what it loads, and the host compiler that is named to it. Nothing where it may
/// rest on more, or the question had no success.
std::optional<Ground> toolkit_ground(const Command& command, const Outcome& outcome, const Files& files,
                                     const LoadedFiles& loaded);

/// `NAME=value` of each variable that an nvcc looks at: those of its own families, and whatever its
/// nvcc.profile mentions.
std::vector<std::string> toolkit_variables(const Command& command, const Environment& environment,
                                           const Files& files);

} // namespace hostpin
