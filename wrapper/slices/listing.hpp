// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/slices/store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::slices {

/// What one GPU of one source of a recorded call cost.
struct Cost {
  std::string directory, source, gpu; ///< `sm_80`; the number alone counts, so PTX of that GPU is included
  double compile = 0, assemble = 0, link = 0; ///< seconds of processor time: cicc; ptxas and tileiras; nvlink
  bool reused = false;                        ///< all of it, by the last call

  double total() const { return compile + assemble + link; }
};

/// One for each source and GPU, in the order of the calls.
std::vector<Cost> costs(const std::vector<RecordedCall>& calls);

/// Who runs the tasks of an emitted file.
struct Emission {
  std::string program; ///< nvcc-slices, absolute
  std::string store;   ///< absolute
};

/// A makefile: a target for each source and GPU, and one for each call, which joins them; `make slices` stops
/// before the joins.
std::string makefile(const std::vector<RecordedCall>& calls, const Emission& emission);

/// A batch script for Slurm: an array with a task for each source and GPU. Calls are joined by the build
/// afterwards.
std::string slurm_script(const std::vector<RecordedCall>& calls, const Emission& emission);

/// A Nix expression: a derivation for each source and GPU, whose output is a store, and one for each call.
std::string nix_expression(const std::vector<RecordedCall>& calls, const Emission& emission);

} // namespace hostpin::slices
