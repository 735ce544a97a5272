// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/command/options.hpp"
#include "hooks/leak-check/policy/policy.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// As named on the command line, made absolute and with symlinks resolved where they exist.
std::vector<std::string> absolute(const std::vector<std::string>& paths, const Files& files);

/// What a command line says that is right, with the binding that it names, or the one in force.
Result<Policy> policy_of(const LeakOptions& options, const Environment& environment, const Files& files);

} // namespace hostpin
