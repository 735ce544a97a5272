// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/report.hpp"

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(std::string_view text) {
  return text.empty() ? Json() : Json(text);
}

Json json_of(const Finding& finding) {
  const RuleText& rule = text_of(finding.rule);
  Json json{{"rule", rule.name}, {"severity", to_string(finding.severity)}};
  json["path"] = whole_path(finding.where);
  json["member"] = finding.where.member;
  json["section"] = text_or_null(finding.where.section);
  json["offset"] = finding.where.offset ? Json(*finding.where.offset) : Json();
  json["reference"] = text_or_null(finding.reference);
  json["resolved"] = text_or_null(finding.resolved);
  json["explanation"] = finding.explanation.empty()
                            ? std::string(rule.explanation)
                            : std::string(rule.explanation) + ' ' + finding.explanation;
  json["cure"] = finding.cure.empty() ? rule.cure : std::string_view(finding.cure);
  json["fingerprint"] = fingerprint(finding);
  return json;
}

Json json_of(const HeldCode& held, const HeldAmount& amount) {
  return {{"capability", held.capability.major == 0 ? Json() : Json(to_string(held.capability))},
          {"code", word_of(held.code)},
          {"use", word_of(held.use)},
          {"entries", amount.entries},
          {"bytes", amount.bytes}};
}

} // namespace

std::string report_json(const Findings& findings) {
  Json json{{"schema", 1}, {"files", findings.files}, {"bytes", findings.bytes}};
  json["findings"] = Json::array();
  for (const Finding& finding : findings.found)
    json["findings"].push_back(json_of(finding));
  json["unseen"] = Json::array();
  for (const Unseen& unseen : findings.unseen)
    json["unseen"].push_back({{"path", whole_path(unseen.where)},
                              {"member", unseen.where.member},
                              {"section", text_or_null(unseen.where.section)},
                              {"reason", unseen.reason}});
  json["capabilities"] = Json::array();
  for (const auto& [held, amount] : findings.device_code.codes)
    json["capabilities"].push_back(json_of(held, amount));
  // File names are any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin
