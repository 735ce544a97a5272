// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "wrapper/slices/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::slices {

/// A call of the real nvcc to run as tasks.
struct Call {
  std::string store;                  ///< directory of the slices
  std::string nvcc;                   ///< the real nvcc, absolute
  std::string name;                   ///< its argv[0], which may be a path in a toolkit view
  std::vector<std::string> arguments; ///< as the real nvcc gets them
  std::string only; ///< make the slices of this GPU (`90`) and nothing else; empty: the whole call
};

/// Runs the call: the tasks of all GPUs side by side, except those that the store has. Prints what nvcc would
/// print. Nothing: everything was done, with exit code 0. Otherwise nothing was printed, and nvcc itself has
/// to run: also after an error, so that its messages and its exit code are nvcc's.
std::optional<Plain> run_call(const Call& call, const Options& options, const Environment& environment);

} // namespace hostpin::slices
