// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/nvcc/gpu_list.hpp"
#include "wrapper/plan/plan.hpp"

#include <string_view>

namespace hostpin::hot {

/// If the call is compiled for other GPUs than it names, or keeps GPUs that are not on the binding's list,
/// prints a note with both lists: once for each terminal or job, and pair of lists. `directory`: the bound
/// one. An empty file in temporary_cache() marks it; where none can be made, or jobs cannot be distinguished,
/// each call prints the note.
void note_gpus(const nvcc::GpuChange& change, const plan::Plan& plan, std::string_view directory,
               const char* const* envp);

} // namespace hostpin::hot
