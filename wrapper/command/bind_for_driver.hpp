// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/command/commands.hpp"
#include "wrapper/command/prediction.hpp"

#include <string>

namespace hostpin {

/// What the launcher asks for with `hostpin bind --plan`; see wrapper/bind/README.md.
struct PlanRequest {
  bool asked = false;    ///< print the plan
  std::string index;     ///< cache file to store it in; empty: no cache
  std::string unstored;  ///< why there is none
  std::string spare;     ///< file for it where the cache does not take it; empty: none
  std::string base;      ///< a bound directory whose toolkit and stdenv hold
  CallNames names;       ///< of the nvcc call
  std::string called_by; ///< the real nvcc that runs our `c++`
  bool noted = false;    ///< another call below that nvcc noted what is to be noted
};

/// Makes that plan, stores it in the cache, and prints its bytes on stdout. Without a writable cache it says
/// so and prints a plan that has no home. `options`: what users may name too.
int run_bind_for_driver(const Context& context, const BindOptions& options, const PlanRequest& asked);

} // namespace hostpin
