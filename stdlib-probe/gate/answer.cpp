// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/answer.hpp"

#include "toolchains/gate/gate.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;

Json bound_json(const std::optional<int>& bound) {
  return bound ? Json(*bound) : Json();
}

Json bounds_json(const Bounds& bounds) {
  return {{"min", bound_json(bounds.min)}, {"max", bound_json(bounds.max)}};
}

bool inside(int major, const Bounds& bounds) {
  return (!bounds.min || *bounds.min <= major) && (!bounds.max || major <= *bounds.max);
}

Json derived_json(const Gate& gate, Family family) {
  Json json = bounds_json(gate.bounds(family));
  json["except"] = Json::array();
  for (const Gate::Refusal& hole : holes(gate, family))
    if (json["except"].empty() || json["except"].back() != hole.major)
      json["except"].push_back(hole.major);
  return json;
}

/// Where majors beyond the bounds are refused: `crt/host_config.h:143`, each location once.
std::string locations(const Gate& gate, Family family) {
  const Bounds& bounds = gate.bounds(family);
  std::vector<std::string> all;
  for (const Gate::Refusal& refusal : gate.refusals)
    if (refusal.family == family && !inside(refusal.major, bounds) &&
        std::find(all.begin(), all.end(), refusal.where) == all.end())
      all.push_back(refusal.where);
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<Cell> row(const char* name, const std::optional<Bounds>& documented, const Gate& gate,
                      Family family) {
  return {{name},
          {documented ? span(*documented) : "not known"},
          {span(gate, family)},
          {locations(gate, family)}};
}

} // namespace

std::string gate_json(const GateAnswer& answer) {
  Json json;
  json["header"] = answer.source.header;
  json["release"] = answer.source.release ? Json(to_string(*answer.source.release)) : Json();
  json["target"] = to_string(answer.machine);
  const Gate& gate = answer.derived;
  json["derived"] = {{"gcc", derived_json(gate, Family::gcc)}, {"clang", derived_json(gate, Family::clang)}};
  if (answer.documented) {
    const DocumentedRange& row = *answer.documented;
    json["documented"] = {{"gcc", bounds_json({row.gcc_min, row.gcc_max})},
                          {"clang", bounds_json({row.clang_min, row.clang_max})}};
  } else {
    json["documented"] = {{"gcc", bounds_json({})}, {"clang", bounds_json({})}};
  }
  json["refusals"] = Json::array();
  for (const Gate::Refusal& refusal : answer.derived.refusals)
    json["refusals"].push_back({{"family", to_string(refusal.family)},
                                {"major", refusal.major},
                                {"minors", refusal.minors},
                                {"where", refusal.where},
                                {"text", refusal.text}});
  json["rests_on"] = Json::array();
  for (const auto& [path, status] : answer.rests_on)
    json["rests_on"].push_back({{"path", path}, {"size", status.size}, {"modified", status.modified}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string gate_text(const GateAnswer& answer, const Terminal& terminal) {
  std::string text = fmt::format("{}{}, for {}\n\n", answer.source.header,
                                 answer.source.release ? " of CUDA " + to_string(*answer.source.release) : "",
                                 to_string(answer.machine));
  std::optional<Bounds> gcc;
  std::optional<Bounds> clang;
  if (answer.documented) {
    gcc = Bounds{answer.documented->gcc_min, answer.documented->gcc_max};
    clang = Bounds{answer.documented->clang_min, answer.documented->clang_max};
  }
  const Gate& gate = answer.derived;
  text += columns({{{""}, {"documented"}, {"enforced"}},
                   row("GCC", gcc, gate, Family::gcc),
                   row("Clang", clang, gate, Family::clang)},
                  terminal);
  if (gate.refusals.empty())
    text += "\nThis header refuses no GCC and no Clang: there is no gate in it.\n";
  return text;
}

} // namespace hostpin
