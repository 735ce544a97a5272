// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/identity_record.hpp"
#include "wrapper/bind/recorded.hpp"
#include "wrapper/bind/resolve.hpp"
#include "wrapper/bind/store.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/acceptance_text.hpp"
#include "wrapper/command/bind_for_driver.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/inputs.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace hostpin {

namespace {

void say(const Context& context, const std::string& directory, const Binding& binding) {
  fmt::print("{} binds CUDA {} ({})\n", directory, to_string(binding.toolkit.version), binding.toolkit.root);
  fmt::print(
      "{}",
      columns({{{"accepts"}, {documented_text(binding.acceptance)}, {enforced_text(binding.acceptance)}},
               {{"compiles"}, {label(binding.host.compiler)}, {binding.host_origin, Tone::quiet}},
               {{"links"}, {shell_words(binding.link.command)}, {binding.link.how, Tone::quiet}}},
              context.terminal));
  for (const std::string& note : binding.notes)
    report_note(note);
}

int write(const Context& context, const std::string& directory, Binding& binding) {
  record_identity(binding, context.environment, context.files, context.processes);
  const PlanPlace place{{}, context.tree.command};
  const Bundle bundle{plan_bytes(binding, Scope::decision, place, context.files),
                      binding_toml(binding, context.files), toolchain_cmake(binding), binding.identity,
                      context.tree.driver};
  if (const auto written = write_bound_directory(directory, bundle); !written) {
    report(written.error());
    return exit_broken;
  }
  say(context, directory, binding);
  return exit_fine;
}

int bind_directory(const Context& context, const Request& request, const std::string& directory) {
  return with_survey(context, request, [&](const Survey& survey, const SurveyInputs& inputs) {
    auto binding = resolve(survey, inputs);
    if (binding)
      return write(context, directory, *binding);
    report(binding.error());
    return exit_refused;
  });
}

int refresh_directory(const Context& context, const BindOptions& options) {
  const auto recorded = read_recorded(context.files, options.directory);
  if (recorded)
    return bind_directory(context, recorded->request, options.directory);
  report(recorded.error());
  return exit_broken;
}

} // namespace

int run_bind(const Context& context, const BindOptions& options) {
  if (options.plan)
    return run_bind_for_driver(context, options);
  if (options.directory.empty()) {
    report({"bind needs the directory to write to", "for example: hostpin bind build/toolchain"});
    return exit_broken;
  }
  BindOptions absolute = options;
  std::error_code error;
  const auto path = std::filesystem::absolute(options.directory, error).lexically_normal();
  absolute.directory = (path.has_filename() ? path : path.parent_path()).string();
  return options.refresh ? refresh_directory(context, absolute)
                         : bind_directory(context, options.request, absolute.directory);
}

} // namespace hostpin
