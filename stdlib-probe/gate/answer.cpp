// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/answer.hpp"

#include "stdlib-probe/gate/hypotheses.hpp"

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

/// Refusals that the bounds do not tell of.
std::vector<Gate::Refusal> holes(const Gate& gate, Family family, const Bounds& bounds) {
  std::vector<Gate::Refusal> found;
  std::copy_if(
      gate.refusals.begin(), gate.refusals.end(), std::back_inserter(found),
      [&](const Gate::Refusal& each) { return each.family == family && inside(each.major, bounds); });
  return found;
}

Json derived_json(const Gate& gate, Family family, const Bounds& bounds) {
  Json json = bounds_json(bounds);
  json["except"] = Json::array();
  for (const Gate::Refusal& hole : holes(gate, family, bounds))
    if (json["except"].empty() || json["except"].back() != hole.major)
      json["except"].push_back(hole.major);
  return json;
}

std::string range(const std::string& min, const std::string& max) {
  if (!min.empty() && !max.empty())
    return min + '-' + max;
  if (!max.empty())
    return max == "0" ? "none" : "up to " + max;
  return min.empty() ? "any" : "from " + min;
}

std::string range(const Bounds& bounds) {
  return range(bounds.min ? std::to_string(*bounds.min) : "", bounds.max ? std::to_string(*bounds.max) : "");
}

/// `12`, `13.3`, `13.4-9`.
std::string releases(const Gate::Refusal& refusal) {
  std::string text;
  for (auto first = refusal.minors.begin(); first != refusal.minors.end();) {
    auto last = first;
    while (std::next(last) != refusal.minors.end() && *std::next(last) == *last + 1)
      ++last;
    text += fmt::format("{}{}.{}", text.empty() ? "" : ", ", refusal.major, *first);
    if (last != first)
      text += fmt::format("-{}", *last);
    first = std::next(last);
  }
  return text.empty() ? std::to_string(refusal.major) : text;
}

/// Where majors beyond the bounds are refused: `crt/host_config.h:143`, each place once.
std::string places(const Gate& gate, Family family, const Bounds& bounds) {
  std::vector<std::string> all;
  for (const Gate::Refusal& refusal : gate.refusals)
    if (refusal.family == family && !inside(refusal.major, bounds) &&
        std::find(all.begin(), all.end(), refusal.where) == all.end())
      all.push_back(refusal.where);
  return fmt::format("{}", fmt::join(all, ", "));
}

/// Whether only the first minors of a major are refused, or only the last ones that were asked about: then
/// the bound itself can be told as `3.3`.
bool is_lower_edge(const Gate::Refusal& hole, const Bounds& bounds) {
  return bounds.min == hole.major && !hole.minors.empty() && hole.minors.front() == 0 &&
         hole.minors.back() + 1 == static_cast<int>(hole.minors.size());
}

bool is_upper_edge(const Gate::Refusal& hole, const Bounds& bounds) {
  const auto& minors = hole.minors;
  return bounds.max == hole.major && !minors.empty() && minors.front() > 0 &&
         minors.back() == hypothetical_minors().back() &&
         minors.back() - minors.front() + 1 == static_cast<int>(minors.size());
}

/// `3.3-17`, with minors where they are the bound.
std::string enforced(const Gate& gate, Family family, const Bounds& bounds) {
  std::string min = bounds.min ? std::to_string(*bounds.min) : "";
  std::string max = bounds.max ? std::to_string(*bounds.max) : "";
  for (const Gate::Refusal& hole : holes(gate, family, bounds)) {
    if (is_lower_edge(hole, bounds))
      min += fmt::format(".{}", hole.minors.back() + 1);
    if (is_upper_edge(hole, bounds))
      max += fmt::format(".{}", hole.minors.front() - 1);
  }
  return range(min, max);
}

struct Row {
  Family family;
  const char* name;
  Bounds documented, derived;
};

std::string line(const Row& row, const GateAnswer& answer) {
  const Gate& gate = answer.derived;
  std::string text =
      fmt::format("  {:6} {:11} {:10} {}", row.name, answer.documented ? range(row.documented) : "not known",
                  enforced(gate, row.family, row.derived), places(gate, row.family, row.derived));
  text.erase(text.find_last_not_of(' ') + 1);
  for (const Gate::Refusal& hole : holes(gate, row.family, row.derived))
    if (!is_lower_edge(hole, row.derived) && !is_upper_edge(hole, row.derived))
      text += fmt::format("\n  {:6} {:11} but not {} {}", "", "", releases(hole), hole.where);
  return text + '\n';
}

} // namespace

std::string gate_json(const GateAnswer& answer) {
  Json json;
  json["header"] = answer.source.header;
  json["release"] = answer.source.release ? Json(to_string(*answer.source.release)) : Json();
  json["target"] = to_string(answer.machine);
  const Gate& gate = answer.derived;
  json["derived"] = {{"gcc", derived_json(gate, Family::gcc, gate.gcc)},
                     {"clang", derived_json(gate, Family::clang, gate.clang)}};
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
  const Gate& gate = answer.derived;
  for (const Row& row :
       {Row{Family::gcc, "GCC", gcc, gate.gcc}, Row{Family::clang, "Clang", clang, gate.clang}})
    text += line(row, answer);
  if (gate.refusals.empty())
    text += "\nThis header refuses no GCC and no Clang: there is no gate in it.\n";
  return text;
}

} // namespace hostpin
