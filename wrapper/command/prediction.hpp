// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/command/call_here.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hostpin {

/// A host compiler that a call names, and where it is named; empty: none.
struct CallNames {
  std::string value, by;
  bool informational = false; ///< the call runs no compiler: finding none is not an error
};

/// The decision of one call: `request` applies where the call names nothing. Unbound launchers use it, and so
/// do commands that print a call. The exit code of `use`.
int with_decision(const Context& context, const Request& request, const CallNames& names,
                  const std::function<int(const Survey&, const SurveyInputs&, Result<Binding>)>& use);

/// What one call would do.
struct Prediction {
  const CallHere& here;
  cmdline::NvccCall call;
  cmdline::NvccCommand naming;
  bool as_given = false;   ///< the real nvcc gets the arguments as they are
  Result<Binding> binding; ///< an error: why the call fails
  int exit_code = 0;       ///< in that case
};

/// Predicts a call with these arguments, of nvcc or, with `is_cxx`, of c++; flags in variables count. The
/// exit code of `use`, or the command's own if configuration or tables cannot be read (reported).
int with_prediction(const Context& context, const CallHere& here, const std::vector<const char*>& arguments,
                    bool is_cxx,
                    const std::function<int(const Prediction&, const Survey&, const SurveyInputs&)>& use);

} // namespace hostpin
