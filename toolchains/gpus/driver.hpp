// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/gpus/capability.hpp"

#include <vector>

namespace hostpin {

/// The capabilities of the GPUs that the driver's library, libcuda.so.1, lets this process use, one for each.
/// Loads that library, which may take seconds or crash: to be called in a process of its own. The error
/// says that there is no driver or no GPU, or with which of CUDA's numbers the driver refused.
Result<std::vector<Capability>> driver_capabilities();

} // namespace hostpin
