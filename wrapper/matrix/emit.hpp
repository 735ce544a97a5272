// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/matrix/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// What the jobs of an engine call, as they find it: absolute paths, or relative to where they start.
struct Jobs {
  std::string hostpin; ///< the program
  std::string plan;    ///< directory of the plan
  std::string results; ///< directory for the results
};

/// The engines that a plan can be written for: `make`, `slurm`, `nix`, `github`, `gitlab`, `buildbot`.
std::vector<std::string> engines();

/// The engine's own file, in which each job is a call of `hostpin matrix run`, and one merges. The error says
/// which engines there are.
Result<std::string> emission(std::string_view engine, const Plan& plan, const Jobs& jobs);

} // namespace hostpin::matrix
