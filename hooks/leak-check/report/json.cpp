// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/report.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(std::string_view text) {
  return text.empty() ? Json() : Json(text);
}

Json json_of(const Finding& finding) {
  const RuleText& rule = text_of(finding.rule);
  return {{"rule", rule.name},
          {"severity", to_string(finding.severity)},
          {"path", whole_path(finding.where)},
          {"member", finding.where.member},
          {"section", text_or_null(finding.where.section)},
          {"offset", finding.where.offset ? Json(*finding.where.offset) : Json()},
          {"reference", text_or_null(finding.reference)},
          {"resolved", text_or_null(finding.resolved)},
          {"explanation", finding.explanation.empty()
                              ? std::string(rule.explanation)
                              : std::string(rule.explanation) + ' ' + finding.explanation},
          {"cure", finding.cure.empty() ? rule.cure : std::string_view(finding.cure)},
          {"fingerprint", fingerprint(finding)}};
}

Json json_of(const Unseen& unseen) {
  return {{"path", whole_path(unseen.where)},
          {"member", unseen.where.member},
          {"section", text_or_null(unseen.where.section)},
          {"reason", unseen.reason}};
}

Json json_of(const HeldCode& held, const HeldAmount& amount) {
  return {{"capability", held.capability.major != 0 ? Json(to_string(held.capability)) : Json()},
          {"code", word_of(held.code)},
          {"use", word_of(held.use)},
          {"entries", amount.entries},
          {"bytes", amount.bytes}};
}

} // namespace

std::string report_json(const Findings& findings) {
  Json json{{"schema", 1}, {"files", findings.files}, {"bytes", findings.bytes}};
  Json& found = json["findings"] = Json::array();
  for (const Finding& one : findings.found)
    found.push_back(json_of(one));
  Json& unseen = json["unseen"] = Json::array();
  for (const Unseen& one : findings.unseen)
    unseen.push_back(json_of(one));
  Json& capabilities = json["capabilities"] = Json::array();
  for (const auto& [held, amount] : findings.device_code.codes)
    capabilities.push_back(json_of(held, amount));
  // File names are any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin
