// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/gate.hpp"

#include "toolchains/base/json_number.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

std::optional<int> bound(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(number_of<int>(json, "a limit"));
}

Bounds bounds(const Json& json) {
  return {bound(json.at("min")), bound(json.at("max"))};
}

Family family_named(const Json& json) {
  if (json == "gcc")
    return Family::gcc;
  return json == "clang" ? Family::clang : Family::other; // other: from a later probe; matches no compiler
}

Gate::Refusal refusal_in(const Json& json) {
  std::vector<int> minors;
  for (const Json& minor : json.at("minors").get<std::vector<Json>>())
    minors.push_back(number_of<int>(minor, "a minor"));
  return {family_named(json.at("family")), number_of<int>(json.at("major"), "major"), std::move(minors),
          json.at("where").get<std::string>(), json.at("text").get<std::string>()};
}

} // namespace

const Gate::Refusal* Gate::refusal(Family family, const Version& version) const {
  const auto found = std::find_if(refusals.begin(), refusals.end(), [&](const Refusal& refusal) {
    return refusal.family == family && refusal.major == version.major &&
           (refusal.minors.empty() ||
            std::find(refusal.minors.begin(), refusal.minors.end(), version.minor) != refusal.minors.end());
  });
  return found == refusals.end() ? nullptr : &*found;
}

Result<Gate> read_gate(std::string_view answer) {
  try {
    const Json json = Json::parse(answer);
    Gate gate{bounds(json.at("derived").at("gcc")), bounds(json.at("derived").at("clang")), {}};
    for (const Json& refusal : json.at("refusals"))
      gate.refusals.push_back(refusal_in(refusal));
    return gate;
  } catch (const Json::exception& error) {
    return failure(std::string("stdlib-probe's answer about a gate cannot be read: ") + error.what(),
                   "install hostpin again: its programs are of different releases");
  }
}

std::vector<Result<Gate>> gates(std::span<const Toolkit> toolkits, const HeaderProbe& probe) {
  std::vector<Result<Gate>> result;
  std::vector<ProbeCall> calls;
  for (const Toolkit& toolkit : toolkits)
    if (!toolkit.host_config.empty()) {
      ProbeCall& call = calls.emplace_back(
          ProbeCall{"gate", "--json", "--release", to_string(toolkit.version), toolkit.host_config});
      if (toolkit.target) // a gate may depend on the machine
        call.insert(call.end(), {"--target", toolkit.target->machine});
    }
  std::vector<Result<std::string>> answers = probe.ask(calls);
  auto next = answers.begin();
  for (const Toolkit& toolkit : toolkits) {
    if (toolkit.host_config.empty()) {
      result.emplace_back(failure("the toolkit at " + toolkit.root + " has no crt/host_config.h"));
      continue;
    }
    Result<std::string> answer = std::move(*next++);
    if (answer)
      result.push_back(read_gate(*answer));
    else
      result.emplace_back(tl::unexpected(std::move(answer.error())));
  }
  return result;
}

namespace {

std::string span(const std::string& min, const std::string& max) {
  if (!min.empty() && !max.empty())
    return min + '-' + max;
  if (!max.empty())
    return max == "0" ? "none" : "up to " + max;
  return min.empty() ? "any" : "from " + min;
}

std::string text(const std::optional<int>& bound) {
  return bound ? std::to_string(*bound) : "";
}

bool contiguous(const std::vector<int>& minors) {
  return !minors.empty() && minors.back() - minors.front() + 1 == static_cast<int>(minors.size());
}

/// Only the first minors of the lowest major, or only the last ones of the highest: printed as part of the
/// bound.
bool is_lower_end(const Gate::Refusal& hole, const Bounds& bounds) {
  return bounds.min == hole.major && contiguous(hole.minors) && hole.minors.front() == 0;
}

bool is_upper_end(const Gate::Refusal& hole, const Bounds& bounds) {
  return bounds.max == hole.major && contiguous(hole.minors) && hole.minors.front() > 0 &&
         hole.minors.back() == last_asked_minor;
}

/// `12`, `13.3`, `13.1-2, 13.4`.
std::string releases(const Gate::Refusal& refusal) {
  if (refusal.minors.empty())
    return std::to_string(refusal.major);
  std::string all;
  for (auto first = refusal.minors.begin(); first != refusal.minors.end();) {
    auto last = first;
    while (std::next(last) != refusal.minors.end() && *std::next(last) == *last + 1)
      ++last;
    all += (all.empty() ? "" : ", ") + std::to_string(refusal.major) + '.' + std::to_string(*first);
    if (last != first)
      all += '-' + std::to_string(*last);
    first = std::next(last);
  }
  return all;
}

} // namespace

std::string span(const Bounds& bounds) {
  return span(text(bounds.min), text(bounds.max));
}

std::vector<Gate::Refusal> holes(const Gate& gate, Family family) {
  const Bounds& bounds = gate.bounds(family);
  std::vector<Gate::Refusal> found;
  std::copy_if(gate.refusals.begin(), gate.refusals.end(), std::back_inserter(found), [&](const auto& each) {
    return each.family == family && (!bounds.min || *bounds.min <= each.major) &&
           (!bounds.max || each.major <= *bounds.max);
  });
  return found;
}

std::string span(const Gate& gate, Family family) {
  const Bounds& bounds = gate.bounds(family);
  std::string min = text(bounds.min);
  std::string max = text(bounds.max);
  std::string others;
  for (const Gate::Refusal& hole : holes(gate, family))
    if (is_lower_end(hole, bounds))
      min += '.' + std::to_string(hole.minors.back() + 1);
    else if (is_upper_end(hole, bounds))
      max += '.' + std::to_string(hole.minors.front() - 1);
    else
      others += (others.empty() ? " but not " : ", ") + releases(hole);
  return span(min, max) + others;
}

} // namespace hostpin
