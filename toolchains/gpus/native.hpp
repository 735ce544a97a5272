// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/gpus/capability.hpp"

#include <string_view>
#include <vector>

namespace hostpin {

/// The capabilities of this machine's GPUs in the driver's order, one for each GPU, from its nvidia-smi on
/// PATH. The error says that there is no driver, or what it answered instead.
Result<std::vector<Capability>> native_capabilities(const Processes& processes);

/// What `nvidia-smi --query-gpu=compute_cap --format=csv,noheader` printed.
Result<std::vector<Capability>> read_native_capabilities(std::string_view output);

} // namespace hostpin
