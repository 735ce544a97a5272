// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"
#include "toolchains/survey/request.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/hot/obtain.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// The program that a call in this shell reaches, and what its decision comes from.
struct CallHere {
  hot::Self self;
  std::string program;   ///< the path by which `nvcc` is called
  std::string origin;    ///< how it was found: `first on PATH`, `$CUDACXX`, `--bound`, ...
  std::string directory; ///< the bound directory, as the user knows it; empty: this environment decides
  bool foreign = false;  ///< an nvcc that is not hostpin's: it runs unchanged
  std::string build;     ///< the configured build directory whose decision applies; empty: none
  std::unique_ptr<hot::Loaded> bound; ///< the plan of `directory` or `build`
  Request request;                    ///< what decides if the call names nothing
  std::optional<Error> refusal;       ///< why a call exits with 2 whatever its arguments
  std::vector<std::string> notes;     ///< other programs that might be meant
};

/// `bound`: that directory instead of what the shell reaches. `program`: that program, if it is hostpin's or
/// another nvcc. Names in `given` are for an unbound call. An error if `bound` is not a bound directory.
Result<CallHere> call_here(const Context& context, const Request& given,
                           const std::optional<std::string>& bound = {}, const std::string& program = {});

/// The decision stored in a bound directory.
Result<bind::Binding> binding_of(const Context& context, const CallHere& here);

/// The decision of one call: `request` applies where the call names nothing. Unbound launchers use it, and so
/// do commands that print a call. The exit code of `use`.
int with_decision(const Context& context, const Request& request, const CallNames& names,
                  const std::function<int(const Survey&, const SurveyInputs&, Result<bind::Binding>)>& use);

/// What one call would do.
struct Prediction {
  const CallHere& here;
  cmdline::NvccCall call;
  cmdline::NvccCommand naming;
  bool as_given = false;         ///< the real nvcc gets the arguments as they are
  Result<bind::Binding> binding; ///< an error: why the call fails
  int exit_code = 0;             ///< in that case
};

/// Predicts a call with these arguments, of nvcc or, with `is_cxx`, of c++; flags in variables count. The
/// exit code of `use`, or the command's own if configuration or tables cannot be read (reported).
int with_prediction(const Context& context, const CallHere& here, const std::vector<const char*>& arguments,
                    bool is_cxx,
                    const std::function<int(const Prediction&, const Survey&, const SurveyInputs&)>& use);

/// The same, for a use that needs nothing else of the machine: no program is run if a binding decides the
/// call.
int with_call(const Context& context, const CallHere& here, const std::vector<const char*>& arguments,
              bool is_cxx, const std::function<int(const Prediction&)>& use);

} // namespace hostpin::command
