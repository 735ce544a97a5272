// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/capabilities.hpp"

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;

Json release_or_null(const std::optional<Version>& version) {
  return version ? Json(to_string(*version)) : Json();
}

Json gpu_json(const Gpu& gpu, const Version& toolkit) {
  using Variant = Capability::Variant;
  return {{"capability", to_string(gpu.capability)},
          {"architecture", gpu.architecture},
          {"taken", gpu.is_taken_by(toolkit, Variant::baseline)},
          {"first", to_string(gpu.first)},
          {"last", release_or_null(gpu.last)},
          {"architecture_specific", release_or_null(gpu.architecture_specific)},
          {"family_specific", release_or_null(gpu.family_specific)},
          {"jetson", gpu.jetson},
          {"source", gpu.source}};
}

Json reach_or_null(const GpuTarget& target) {
  if (!target.ptx)
    return {};
  switch (reach_of_ptx(target.capability)) {
  case PtxReach::later:
    return "later";
  case PtxReach::family:
    return "family";
  case PtxReach::same:
    break;
  }
  return "same";
}

Json spellings_json(const GpuExpansion& expansion, const std::vector<Gpu>& gpus) {
  Json json;
  for (const Spelling& spelling : spellings()) {
    const auto value = spelling.value(expansion, gpus);
    json[std::string(spelling.name)] = value ? Json(*value) : Json();
  }
  return json;
}

} // namespace

std::string capabilities_json(const CapabilitiesAnswer& answer) {
  Json json;
  json["toolkit"] = {{"root", answer.toolkit.root}, {"version", to_string(answer.toolkit.version)}};
  if (answer.expansion) {
    json["targets"] = Json::array();
    for (const GpuTarget& target : answer.expansion->targets)
      json["targets"].push_back({{"capability", to_string(target.capability)},
                                 {"cubin", target.cubin},
                                 {"ptx", target.ptx},
                                 {"ptx_runs_on", reach_or_null(target)}});
    json["forward_compatible"] = answer.expansion->is_forward_compatible();
    json["spellings"] = spellings_json(*answer.expansion, answer.gpus);
    json["notes"] = answer.expansion->notes;
  } else {
    json["gpus"] = Json::array();
    for (const Gpu& gpu : answer.gpus)
      json["gpus"].push_back(gpu_json(gpu, answer.toolkit.version));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin
