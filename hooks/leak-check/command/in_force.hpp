// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/policy/policy.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin {

/// Adds what an unbound call of nvcc would obey now, as `hostpin` (a path) decides it. `scratch`: a directory
/// for temporary files. Who asks us to end meanwhile is obeyed once those are removed.
Result<void> add_binding_in_force(Policy& policy, const std::string& hostpin, const std::string& scratch,
                                  const Files& files);

} // namespace hostpin
