// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/capabilities.hpp"

#include "toolchains/base/writing.hpp"
#include "toolchains/gpus/native.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/gpu_list.hpp"

#include <fmt/format.h>

namespace hostpin {

namespace {

int print_spelling(const GpuExpansion& expansion, const std::vector<Gpu>& gpus, const std::string& format) {
  const auto value = find_spelling(format)->value(expansion, gpus);
  if (!value) {
    report(value.error());
    return exit_refused;
  }
  for (const std::string& note : expansion.notes)
    if (format == "cmake" || note != note_for_cmake)
      report_note(note);
  fmt::print("{}\n", *value);
  return exit_fine;
}

int print_driver_capabilities() {
  const auto capabilities = driver_capabilities();
  if (!capabilities) {
    print_error(capabilities.error().message + '\n'); // the caller adds it to its own message
    return exit_refused;
  }
  for (const Capability& capability : *capabilities)
    fmt::print("{}\n", to_string(capability));
  return exit_fine;
}

} // namespace

int run_capabilities(const Context& context, const CapabilitiesOptions& options) {
  if (options.ask_driver)
    return print_driver_capabilities();
  if (options.no_forward_compatibility && !options.list) {
    report({"--no-forward-compatibility says something of a list, and there is none",
            "name one, such as \"8.0;9.0\", all, all-major, default or native"});
    return exit_broken;
  }
  const auto toolkit = toolkit_of(context, options.request);
  const auto gpus = load_gpus(context.files, context.tree.data);
  if (!toolkit || !gpus) {
    report(toolkit ? gpus.error() : toolkit.error());
    return exit_broken;
  }
  CapabilitiesAnswer answer{*toolkit, *gpus, std::nullopt};
  if (options.list) {
    auto expansion = expanded(context, *gpus, *options.list, toolkit->version,
                              !options.no_forward_compatibility, options.request.toolkit);
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
