// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/gpus/capability.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The capabilities of this machine's GPUs in the driver's order, one for each GPU, from its nvidia-smi on
/// PATH; where that cannot say, from `driver`, a command that prints what `driver_capabilities` finds: a
/// container may have the driver's library alone. The error says that there is no driver, or what it
/// answered instead.
Result<std::vector<Capability>> native_capabilities(const Processes& processes,
                                                    std::vector<std::string> driver);

/// What `nvidia-smi --query-gpu=compute_cap --format=csv,noheader` printed, or `who` else in that form.
Result<std::vector<Capability>> read_native_capabilities(std::string_view output,
                                                         const std::string& who = "nvidia-smi");

} // namespace hostpin
