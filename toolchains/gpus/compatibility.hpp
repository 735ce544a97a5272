// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/gpus/gpus.hpp"

#include <vector>

namespace hostpin::gpus {

/// Which GPUs the driver can compile PTX for: PTX of a baseline for its own and all later ones, of an `f`
/// variant for its family, of an `a` variant for that capability only.
enum class PtxReach { later, family, same };
PtxReach reach_of_ptx(const Capability& capability);

// `gpu` is the capability of a GPU, whose variant does not matter. A GPU without a row has no family and is
// no Jetson.

/// Whether a GPU runs machine code for `code`: code of its own major with a minor that is not higher, of an
/// `f` variant within its family, of an `a` variant for that capability only. Between Jetsons and other GPUs
/// there is no such compatibility, nor among Jetsons (CUDA C++ Programming Guide, "Binary Compatibility").
bool runs_machine_code(const std::vector<Gpu>& gpus, const Capability& code, const Capability& gpu);

/// Whether a driver that knows this PTX can compile it for a GPU.
bool compiles_ptx(const std::vector<Gpu>& gpus, const Capability& code, const Capability& gpu);

} // namespace hostpin::gpus
