// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/capabilities.hpp"

#include "toolchains/base/own_programs.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/gpus/native.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/command/commands.hpp"

#include <fmt/format.h>

namespace hostpin {

namespace {

/// The toolkit alone: no compiler needs to be judged for this.
Result<Toolkit> toolkit_of(const Context& context, const Request& given) {
  const auto config = load_config(context.files, context.environment);
  if (!config)
    return tl::unexpected(config.error());
  const Request request = completed(given, context.environment, *config);
  std::optional<NamedToolkit> named;
  if (request.toolkit)
    named = NamedToolkit{*request.toolkit, request.toolkit_by};
  const IsOwn is_own = own_programs(context.files);
  const auto driver = find_stdenv(context.files, context.environment, std::nullopt, is_own);
  const ToolkitSearch search =
      find_toolkits(context.files, context.environment, named, config->toolkits, is_own);
  return chosen_toolkit(probe_toolkits(context.files, context.processes, search,
                                       driver && driver->command.size() == 1 ? driver->command.front() : ""),
                        named);
}

int print_spelling(const Expansion& expansion, const std::vector<Gpu>& gpus, const std::string& format) {
  const auto value = find_spelling(format)->value(expansion, gpus);
  if (!value) {
    report(value.error());
    return exit_refused;
  }
  for (const std::string& note : expansion.notes)
    report_note(note);
  fmt::print("{}\n", *value);
  return exit_fine;
}

} // namespace

int run_capabilities(const Context& context, const CapabilitiesOptions& options) {
  const auto toolkit = toolkit_of(context, options.request);
  const auto gpus = load_gpus(context.files, context.tree.data);
  if (!toolkit || !gpus) {
    report(toolkit ? gpus.error() : toolkit.error());
    return exit_broken;
  }
  CapabilitiesAnswer answer{*toolkit, *gpus, std::nullopt};
  if (options.list) {
    auto expansion = expand(*options.list, {*gpus, toolkit->version, !options.no_forward_compatibility,
                                            [&] { return native_capabilities(context.processes); }});
    if (!expansion) {
      report(expansion.error());
      return exit_refused;
    }
    answer.expansion = *std::move(expansion);
    if (!options.format.empty())
      return print_spelling(*answer.expansion, *gpus, options.format);
  }
  fmt::print("{}", options.json ? capabilities_json(answer) : capabilities_text(answer, context.terminal));
  return exit_fine;
}

} // namespace hostpin
