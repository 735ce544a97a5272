// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "wrapper/plan/plan.hpp"

#include <string>

namespace hostpin {

/// What a path is now, to be re-checked later. The result refers to `path`.
PlanFile file_identity(const std::string& path, const Files& files);

} // namespace hostpin
