// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/command/context.hpp"

#include <string>

namespace hostpin::command {

struct SlicesOptions {
  std::string store;    ///< directory given to `bind --slices`
  bool by_time = false; ///< the most expensive first
  bool json = false;
  std::string emit; ///< `make`, `slurm`, `nix`: print the recorded calls as tasks; empty: their costs
};
int run_slices(const Context& context, const SlicesOptions& options);

} // namespace hostpin::command
