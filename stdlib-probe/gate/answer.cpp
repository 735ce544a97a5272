// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/answer.hpp"

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

std::string range(const Bounds& bounds) {
  if (bounds.min && bounds.max)
    return fmt::format("{}-{}", *bounds.min, *bounds.max);
  if (bounds.max)
    return fmt::format("up to {}", *bounds.max);
  return bounds.min ? fmt::format("from {}", *bounds.min) : "any";
}

/// The refusal right behind the upper bound, else the last one.
std::string place_of(const Gate& gate, Family family, const Bounds& bounds) {
  std::string place;
  for (const Gate::Refusal& refusal : gate.refusals)
    if (refusal.family == family && (place.empty() || (bounds.max && refusal.major == *bounds.max + 1)))
      place = refusal.where;
  return place;
}

std::string row(const char* name, const Bounds& documented, const GateAnswer& answer, Family family) {
  const Bounds& derived = family == Family::gcc ? answer.derived.gcc : answer.derived.clang;
  return fmt::format("  {:6} {:11} {:10} {}\n", name, answer.documented ? range(documented) : "not known",
                     range(derived), place_of(answer.derived, family, derived));
}

} // namespace

std::string gate_json(const GateAnswer& answer) {
  Json json;
  json["header"] = answer.source.header;
  json["release"] = answer.source.release ? Json(to_string(*answer.source.release)) : Json();
  json["target"] = to_string(answer.machine);
  json["derived"] = {{"gcc", bounds_json(answer.derived.gcc)}, {"clang", bounds_json(answer.derived.clang)}};
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

std::string gate_text(const GateAnswer& answer) {
  std::string text = fmt::format("{}{}, for {}\n\n", answer.source.header,
                                 answer.source.release ? " of CUDA " + to_string(*answer.source.release) : "",
                                 to_string(answer.machine));
  text += fmt::format("  {:6} {:11} {:10}\n", "", "documented", "enforced");
  Bounds gcc;
  Bounds clang;
  if (answer.documented) {
    gcc = {answer.documented->gcc_min, answer.documented->gcc_max};
    clang = {answer.documented->clang_min, answer.documented->clang_max};
  }
  text += row("GCC", gcc, answer, Family::gcc);
  text += row("Clang", clang, answer, Family::clang);
  if (answer.derived.refusals.empty())
    text += "\nThis header refuses no GCC and no Clang: there is no gate in it.\n";
  for (const Gate::Refusal& refusal : answer.derived.refusals)
    if (!refusal.minors.empty())
      text += fmt::format("\n  {} {}.{} refused at {}", refusal.family == Family::gcc ? "GCC" : "Clang",
                          refusal.major, fmt::join(refusal.minors, "/"), refusal.where);
  return text;
}

} // namespace hostpin
