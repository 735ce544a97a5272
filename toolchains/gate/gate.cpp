// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/gate.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::json;

std::optional<int> bound(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<int>());
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
  return {family_named(json.at("family")), json.at("major").get<int>(),
          json.at("minors").get<std::vector<int>>(), json.at("where").get<std::string>(),
          json.at("text").get<std::string>()};
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
    if (!toolkit.host_config.empty())
      calls.push_back({"gate", "--json", "--release", to_string(toolkit.version), toolkit.host_config});
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

} // namespace hostpin
