// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/policy/policy.hpp"
#include "toolchains/base/process.hpp"

#include <string>

namespace hostpin {

/// Adds what an unbound call of nvcc would obey now, as `hostpin` (a path) decides it. `scratch`: a directory
/// for temporary files.
Result<void> add_binding_in_force(Policy& policy, const std::string& hostpin, const std::string& scratch,
                                  const Files& files, const Processes& processes);

} // namespace hostpin
