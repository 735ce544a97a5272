// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/gpus/capability.hpp"

#include <vector>

namespace hostpin {

/// The capabilities of the GPUs that the NVIDIA driver's library, libcuda.so.1, lets this process use, one
/// per GPU. Loads that library, which may take seconds or crash: call it in a separate process. The error
/// says that there is no driver or no GPU, or has CUDA's error number.
Result<std::vector<Capability>> driver_capabilities();

} // namespace hostpin
