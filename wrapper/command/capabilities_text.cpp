// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/text.hpp"
#include "wrapper/command/capabilities.hpp"

#include <fmt/format.h>

namespace hostpin {

namespace {

using Variant = Capability::Variant;

std::string variants(const Gpu& gpu, const Version& toolkit) {
  std::string text;
  for (const Variant variant : {Variant::architecture_specific, Variant::family_specific})
    if (gpu.is_taken_by(toolkit, variant)) {
      Capability capability = gpu.capability;
      capability.variant = variant;
      text += text.empty() ? "" : " ";
      text += to_string(capability);
    }
  return text;
}

Cell standing(const Gpu& gpu, const Version& toolkit) {
  const Version release{toolkit.major, toolkit.minor, 0};
  if (gpu.first > release)
    return {fmt::format("from CUDA {}", to_string(gpu.first)), Tone::quiet};
  if (gpu.last && *gpu.last < release)
    return {fmt::format("until CUDA {}", to_string(*gpu.last)), Tone::quiet};
  if (gpu.jetson)
    return {"taken, a Jetson: only on its own", Tone::plain};
  if (gpu.retired_after && *gpu.retired_after < release)
    return {"taken, not by default", Tone::plain};
  return {"taken", Tone::good};
}

std::string what_is_taken(const CapabilitiesAnswer& answer, const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const Gpu& gpu : answer.gpus)
    rows.push_back({{to_string(gpu.capability)},
                    {gpu.architecture},
                    {variants(gpu, answer.toolkit.version)},
                    standing(gpu, answer.toolkit.version)});
  return columns(rows, terminal);
}

std::string spelled(const Spelling& spelling, const std::string& value) {
  return spelling.variable.empty() ? value : fmt::format("{}={}", spelling.variable, shell_word(value));
}

std::string what_is_made(const GpuTarget& target) {
  if (!target.ptx)
    return "machine code";
  const std::string code = target.cubin ? "machine code, and PTX for " : "PTX alone, for ";
  switch (reach_of_ptx(target.capability)) {
  case PtxReach::later:
    return code + (target.cubin ? "later GPUs" : "it and later GPUs");
  case PtxReach::family:
    return code + "GPUs of its family alone";
  case PtxReach::same:
    break;
  }
  return code + "this GPU alone";
}

std::string what_it_means(const CapabilitiesAnswer& answer, const Terminal& terminal) {
  const GpuExpansion& expansion = *answer.expansion;
  std::vector<std::vector<Cell>> rows;
  for (const GpuTarget& target : expansion.targets) {
    const Gpu* const gpu = find_gpu(answer.gpus, target.capability);
    rows.push_back({{to_string(target.capability)}, {gpu ? gpu->architecture : ""}, {what_is_made(target)}});
  }
  std::string text = columns(rows, terminal) + '\n';
  rows.clear();
  for (const Spelling& spelling : spellings()) {
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

} // namespace

std::string capabilities_text(const CapabilitiesAnswer& answer, const Terminal& terminal) {
  const Toolkit& toolkit = answer.toolkit;
  return fmt::format("CUDA {} in {} ({})\n\n", to_string(toolkit.version), toolkit.root, toolkit.origin) +
         (answer.expansion ? what_it_means(answer, terminal) : what_is_taken(answer, terminal));
}

} // namespace hostpin
