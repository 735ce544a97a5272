// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/capabilities.hpp"

#include "toolchains/base/search.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/gpus/native.hpp"
#include "toolchains/gpus/spelling.hpp"
#include "toolchains/gpus/target.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/json_text.hpp"
#include "wrapper/command/prediction.hpp"

#include <utility>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

/// Everything that `capabilities` prints.
struct CapabilitiesAnswer {
  const Toolkit& toolkit;
  const std::vector<gpus::Gpu>& gpus;
  std::optional<gpus::GpuExpansion> expansion; ///< nothing: no list was given
};

Json release_or_null(const std::optional<Version>& version) {
  return version ? Json(to_string(*version)) : Json();
}

Json gpu_json(const gpus::Gpu& gpu, const Version& toolkit) {
  using Variant = gpus::Capability::Variant;
  return {{"capability", gpus::to_string(gpu.capability)},
          {"architecture", gpu.architecture},
          {"taken", gpu.is_supported_by(toolkit, Variant::baseline)},
          {"first", to_string(gpu.first)},
          {"last", release_or_null(gpu.last)},
          {"architecture_specific", release_or_null(gpu.architecture_specific)},
          {"family_specific", release_or_null(gpu.family_specific)},
          {"jetson", gpu.jetson},
          {"source", gpu.source}};
}

Json reach_or_null(const gpus::GpuTarget& target) {
  if (!target.ptx)
    return {};
  switch (gpus::reach_of_ptx(target.capability)) {
  case gpus::PtxReach::later:
    return "later";
  case gpus::PtxReach::family:
    return "family";
  case gpus::PtxReach::same:
    break;
  }
  return "same";
}

Json spellings_json(const gpus::GpuExpansion& expansion, const std::vector<gpus::Gpu>& gpus) {
  Json json;
  for (const gpus::Spelling& spelling : gpus::spellings()) {
    const auto value = spelling.value(expansion, gpus);
    json[std::string(spelling.name)] = value ? Json(*value) : Json();
  }
  return json;
}

std::string capabilities_json(const CapabilitiesAnswer& answer) {
  Json json;
  json["toolkit"] = {{"root", answer.toolkit.root}, {"version", to_string(answer.toolkit.version)}};
  if (answer.expansion) {
    json["targets"] = Json::array();
    for (const gpus::GpuTarget& target : answer.expansion->targets)
      json["targets"].push_back({{"capability", gpus::to_string(target.capability)},
                                 {"cubin", target.cubin},
                                 {"ptx", target.ptx},
                                 {"ptx_runs_on", reach_or_null(target)}});
    json["forward_compatible"] = answer.expansion->is_forward_compatible();
    json["spellings"] = spellings_json(*answer.expansion, answer.gpus);
    json["notes"] = answer.expansion->notes;
  } else {
    json["gpus"] = Json::array();
    for (const gpus::Gpu& gpu : answer.gpus)
      json["gpus"].push_back(gpu_json(gpu, answer.toolkit.version));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

using Variant = gpus::Capability::Variant;

std::string variants(const gpus::Gpu& gpu, const Version& toolkit) {
  std::string text;
  for (const Variant variant : {Variant::architecture_specific, Variant::family_specific})
    if (gpu.is_supported_by(toolkit, variant)) {
      gpus::Capability capability = gpu.capability;
      capability.variant = variant;
      text += text.empty() ? "" : " ";
      text += gpus::to_string(capability);
    }
  return text;
}

Cell support(const gpus::Gpu& gpu, const Version& toolkit) {
  const Version release{toolkit.major, toolkit.minor, 0};
  if (gpu.first > release)
    return {fmt::format("from CUDA {}", to_string(gpu.first)), Tone::quiet};
  if (gpu.last && *gpu.last < release)
    return {fmt::format("until CUDA {}", to_string(*gpu.last)), Tone::quiet};
  if (gpu.jetson)
    return {"supported, Jetson: only by itself", Tone::plain};
  if (gpu.retired_after && *gpu.retired_after < release)
    return {"supported, not by default", Tone::plain};
  return {"supported", Tone::good};
}

std::string supported_gpus(const CapabilitiesAnswer& answer, const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const gpus::Gpu& gpu : answer.gpus)
    rows.push_back({{gpus::to_string(gpu.capability)},
                    {gpu.architecture},
                    {variants(gpu, answer.toolkit.version)},
                    support(gpu, answer.toolkit.version)});
  return columns(rows, terminal);
}

std::string spelled(const gpus::Spelling& spelling, const std::string& value) {
  return spelling.variable.empty() ? value : fmt::format("{}={}", spelling.variable, shell_word(value));
}

std::string what_is_made(const gpus::GpuTarget& target) {
  if (!target.ptx)
    return "machine code";
  const std::string code = target.cubin ? "machine code, and PTX for " : "PTX alone, for ";
  switch (gpus::reach_of_ptx(target.capability)) {
  case gpus::PtxReach::later:
    return code + (target.cubin ? "later GPUs" : "it and later GPUs");
  case gpus::PtxReach::family:
    return code + "GPUs of its family alone";
  case gpus::PtxReach::same:
    break;
  }
  return code + "this GPU alone";
}

std::string what_it_means(const CapabilitiesAnswer& answer, const Terminal& terminal) {
  const gpus::GpuExpansion& expansion = *answer.expansion;
  std::vector<std::vector<Cell>> rows;
  for (const gpus::GpuTarget& target : expansion.targets) {
    const gpus::Gpu* const gpu = gpus::find_gpu(answer.gpus, target.capability);
    rows.push_back(
        {{gpus::to_string(target.capability)}, {gpu ? gpu->architecture : ""}, {what_is_made(target)}});
  }
  std::string text = columns(rows, terminal) + '\n';
  rows.clear();
  for (const gpus::Spelling& spelling : gpus::spellings()) {
    const auto value = spelling.value(expansion, answer.gpus);
    rows.push_back({{std::string(spelling.name), Tone::heading},
                    value ? Cell{spelled(spelling, *value), Tone::plain, true}
                          : Cell{value.error().message, Tone::quiet}});
  }
  text += columns(rows, terminal);
  for (const std::string& note : expansion.notes)
    text += '\n' + columns({{{"note:"}, {note}}}, terminal, 0);
  return text;
}

std::string capabilities_text(const CapabilitiesAnswer& answer, const Terminal& terminal) {
  const Toolkit& toolkit = answer.toolkit;
  return fmt::format("CUDA {} in {} ({})\n\n", to_string(toolkit.version), toolkit.root, toolkit.origin) +
         (answer.expansion ? what_it_means(answer, terminal) : supported_gpus(answer, terminal));
}

int print_spelling(const gpus::GpuExpansion& expansion, const std::vector<gpus::Gpu>& gpus,
                   const std::string& format) {
  const auto value = gpus::find_spelling(format)->value(expansion, gpus);
  if (!value) {
    report(value.error());
    return exit_refused;
  }
  for (const std::string& note : expansion.notes)
    if (format == "cmake" || note != gpus::note_for_cmake)
      report_note(note);
  fmt::print("{}\n", *value);
  return exit_fine;
}

int print_driver_capabilities() {
  const auto capabilities = gpus::driver_capabilities();
  if (!capabilities) {
    print_error(capabilities.error().message + '\n'); // the caller adds it to its own message
    return exit_refused;
  }
  for (const gpus::Capability& capability : *capabilities)
    fmt::print("{}\n", gpus::to_string(capability));
  return exit_fine;
}

} // namespace

Result<Toolkit> toolkit_of(const Context& context, const Request& given) {
  Request asked = given;
  if (!given.toolkit) {
    TRY_ASSIGN(auto here, call_here(context, given));
    if (!here.directory.empty() || here.bound != nullptr) {
      TRY_ASSIGN(auto binding, binding_of(context, here));
      binding.toolkit.origin = here.build.empty() ? "bound in " + here.directory : "stored for " + here.build;
      return std::move(binding.toolkit);
    }
    asked = std::move(here.request);
  }
  TRY_ASSIGN(const auto config, load_config(context.files, context.environment));
  const Request request = completed(asked, context.environment, config);
  std::optional<NamedToolkit> named;
  if (request.toolkit)
    named = named_toolkit(context.files, *request.toolkit, request.toolkit_by);
  const IsOwn is_own = own_programs(context.files);
  const auto driver = find_stdenv(context.files, context.environment, std::nullopt, is_own);
  const ToolkitSearch search =
      find_toolkits(context.files, context.environment, named, config.toolkits, is_own);
  return chosen_toolkit(probe_toolkits(context.files, context.processes, search,
                                       driver && driver->command.size() == 1 ? driver->command.front() : ""),
                        named);
}

Result<gpus::GpuExpansion> expanded(const Context& context, const std::vector<gpus::Gpu>& gpus,
                                    const std::string& list, std::optional<Version> toolkit,
                                    bool forward_compatible, const std::optional<std::string>& named,
                                    const std::optional<ToolkitTarget>& target) {
  std::string command = "hostpin capabilities";
  if (named)
    command += " --toolkit " + shell_word(*named);
  gpus::ExpansionTerms terms{gpus, toolkit, forward_compatible,
                             [&context] {
                               return gpus::native_capabilities(
                                   context.processes, {context.tree.command, "capabilities", "--ask-driver"});
                             },
                             std::move(command)};
  if (target && toolkit) {
    TRY_ASSIGN(const auto platforms, load_platforms(context.files, context.tree.data));
    terms.target = target->platform;
    terms.target_gpus = gpus::target_gpus(platforms, target->platform, *toolkit);
  }
  return gpus::expand(list, terms);
}

int run_capabilities(const Context& context, const CapabilitiesOptions& options) {
  if (options.ask_driver)
    return print_driver_capabilities();
  if (options.no_forward_compatibility && !options.list) {
    report({"--no-forward-compatibility needs a list",
            "name one, such as \"8.0;9.0\", all, all-major, default or native"});
    return exit_broken;
  }
  const auto toolkit = toolkit_of(context, options.request);
  const auto gpus = gpus::load_gpus(context.files, context.tree.data);
  if (!toolkit || !gpus) {
    report(toolkit ? gpus.error() : toolkit.error());
    return exit_broken;
  }
  CapabilitiesAnswer answer{*toolkit, *gpus, std::nullopt};
  if (options.list) {
    auto expansion = expanded(context, *gpus, *options.list, toolkit->version,
                              !options.no_forward_compatibility, options.request.toolkit, toolkit->target);
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

} // namespace hostpin::command
