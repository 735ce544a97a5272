// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/command/commands.hpp"
#include "wrapper/command/prediction.hpp"

#include <string>

namespace hostpin {

/// The launcher's request, `hostpin bind --plan`; see wrapper/bind/README.md.
struct PlanRequest {
  bool asked = false;    ///< print the plan
  std::string index;     ///< cache file to store it in; empty: no cache
  std::string unstored;  ///< why there is none
  std::string spare;     ///< file for it if the cache cannot store it; empty: none
  std::string base;      ///< a bound directory whose toolkit and stdenv are used
  CallNames names;       ///< of the nvcc call
  std::string called_by; ///< the real nvcc that runs hostpin's `c++`
  bool noted = false;    ///< another call below that nvcc has printed the notes
};

/// Makes that plan, stores it in the cache, and prints its bytes on stdout. Without a writable cache it
/// prints a note and a plan that has no home. `options`: values that users can also name.
int run_bind_for_driver(const Context& context, const BindOptions& options, const PlanRequest& asked);

} // namespace hostpin
