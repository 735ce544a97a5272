// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/decision_json.hpp"

#include "toolchains/base/path_text.hpp"

namespace hostpin::command {

namespace {

/// What programs are made for, if another machine runs them.
Json target_json(const bind::Binding& binding) {
  if (!binding.toolkit.target)
    return {};
  const ToolkitTarget& target = *binding.toolkit.target;
  return {{"triple", target.triple},
          {"platform", target.platform},
          {"directory", target.directory},
          {"emulator", binding.emulator.empty() ? Json() : Json(shell_words(binding.emulator))}};
}

} // namespace

Json compiler_json(const Compiler& compiler) {
  return {{"driver", shell_words(compiler.command)},
          {"family", to_string(compiler.family)},
          {"version", to_full_string(compiler.version)},
          {"target", compiler.target},
          {"glibc", compiler.glibc ? Json(to_string(*compiler.glibc)) : Json()},
          {"origin", compiler.origin}};
}

Json call_json(const Prediction& prediction) {
  const CallHere& here = prediction.here;
  const cmdline::NvccCommand& naming = prediction.naming;
  const bool named = naming.ccbin.by != cmdline::CcbinChoice::By::nobody;
  return {{"nvcc", here.program},
          {"origin", here.origin},
          {"bound", here.directory.empty() ? Json() : Json(here.directory)},
          {"build", here.build.empty() ? Json() : Json(here.build)},
          {"named", named ? Json(naming.ccbin.value) : Json()},
          {"named_by", named ? Json(to_string(naming.ccbin.by)) : Json()},
          {"exit_code", prediction.binding ? Json() : Json(prediction.exit_code)},
          {"notes", here.notes}};
}

Json selection_json(const Result<bind::Binding>& decided) {
  if (!decided)
    return {{"driver", nullptr}, {"origin", nullptr}, {"error", decided.error().message}};
  const bind::Binding& binding = *decided;
  return {{"driver", shell_words(binding.host.compiler.command)},
          {"origin", binding.host_origin},
          {"link", shell_words(binding.link.command)},
          {"driver_path", binding.plan.driver_directories},
          {"run_path", binding.plan.run_path},
          {"target", target_json(binding)},
          {"error", nullptr}};
}

} // namespace hostpin::command
