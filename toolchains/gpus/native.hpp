// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/gpus/capability.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::gpus {

/// The capabilities of the GPUs that the NVIDIA driver's library, libcuda.so.1, lets this process use, one
/// per GPU. Loads that library, which may take seconds or crash: call it in a separate process. The error
/// says that there is no driver or no GPU, or has CUDA's error number.
Result<std::vector<Capability>> driver_capabilities();

/// The capabilities of this machine's GPUs in the NVIDIA driver's order, one per GPU, from nvidia-smi on
/// PATH; if that fails, from `driver`, a command that prints what `driver_capabilities` finds: a
/// container may have only the driver's library. The error says that there is no driver, or what was printed
/// instead.
Result<std::vector<Capability>> native_capabilities(const Processes& processes,
                                                    std::vector<std::string> driver);

/// Parses the output of `nvidia-smi --query-gpu=compute_cap --format=csv,noheader`, or of `who` in that
/// format.
Result<std::vector<Capability>> read_native_capabilities(std::string_view output,
                                                         const std::string& who = "nvidia-smi");

} // namespace hostpin::gpus
