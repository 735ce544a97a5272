// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/result.hpp"

#include "toolchains/base/json_number.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <array>

namespace hostpin::matrix {

namespace {

constexpr std::array<std::string_view, 6> state_names{"passed", "failed",  "cannot",
                                                      "lost",   "missing", "noise"};

} // namespace

std::string_view to_string(State state) {
  return state_names[static_cast<std::size_t>(state)];
}

std::string result_json(const CellResult& result) {
  Json json{{"kind", "result"},
            {"form", json_form},
            {"cell", result.cell.id},
            {"axes", json_of(result.cell.at)},
            {"state", to_string(result.state)},
            {"question", result.question},
            {"key", result.key},
            {"decision", result.decision}};
  if (!result.cause.kind.empty())
    json["cause"] = {{"kind", result.cause.kind},
                     {"stage", result.cause.stage},
                     {"text", result.cause.text},
                     {"fix", result.cause.fix}};
  if (!result.tests.empty())
    json["failed_tests"] = result.tests;
  if (result.size)
    json["size"] = {{"bytes", result.size->bytes}, {"limit", result.size->limit}};
  json["findings"] = Json::array();
  for (const CellFinding& finding : result.findings)
    json["findings"].push_back({{"rule", finding.rule},
                                {"severity", finding.severity},
                                {"path", finding.path},
                                {"fingerprint", finding.fingerprint}});
  json["inputs"] = result.inputs;
  json["uncertain"] = result.uncertain;
  return json_text(json);
}

Result<CellResult> read_result(std::string_view text, const std::string& of) {
  return read_json<CellResult>(text, "result", of, [&](const Json& json) -> Result<CellResult> {
    CellResult result;
    result.cell = cell_of(json, "cell");
    const auto state = std::ranges::find(state_names, json.at("state").get<std::string>());
    if (state == state_names.end())
      return failure(of + " has an unknown state", "remove it, and its cell runs again");
    result.state = static_cast<State>(state - state_names.begin());
    json.at("question").get_to(result.question);
    json.at("key").get_to(result.key);
    json.at("decision").get_to(result.decision);
    if (const auto cause = json.find("cause"); cause != json.end()) {
      cause->at("kind").get_to(result.cause.kind);
      cause->at("stage").get_to(result.cause.stage);
      cause->at("text").get_to(result.cause.text);
      cause->at("fix").get_to(result.cause.fix);
    }
    result.tests = json.value("failed_tests", std::vector<std::string>{});
    if (const auto size = json.find("size"); size != json.end())
      result.size = {number_of<std::uint64_t>(size->at("bytes"), "bytes"),
                     number_of<unsigned>(size->at("limit"), "limit")};
    for (const Json& finding : json.at("findings"))
      result.findings.push_back(
          {finding.at("rule").get<std::string>(), finding.at("severity").get<std::string>(),
           finding.at("path").get<std::string>(), finding.at("fingerprint").get<std::string>()});
    json.at("inputs").get_to(result.inputs);
    json.at("uncertain").get_to(result.uncertain);
    return result;
  });
}

} // namespace hostpin::matrix
