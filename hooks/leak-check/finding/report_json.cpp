// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"
#include "toolchains/finding/sarif.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace hostpin::leak {

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
          {"cure", finding.fix.empty() ? rule.fix : std::string_view(finding.fix)},
          {"fingerprint", fingerprint(finding)}};
}

Json json_of(const Unseen& unseen) {
  return {{"path", whole_path(unseen.where)},
          {"member", unseen.where.member},
          {"section", text_or_null(unseen.where.section)},
          {"reason", unseen.reason}};
}

Json json_of(const fatbin::HeldCode& held, const fatbin::HeldAmount& amount) {
  return {{"capability", held.capability.major != 0 ? Json(gpus::to_string(held.capability)) : Json()},
          {"code", fatbin::word_of(held.code)},
          {"use", fatbin::word_of(held.use)},
          {"entries", amount.entries},
          {"bytes", amount.bytes}};
}

} // namespace

std::string report_json(const Findings& findings, std::string_view more) {
  Json json{{"schema", 1}, {"files", findings.files}, {"bytes", findings.bytes}};
  Json& found = json["findings"] = Json::array();
  for (const Finding& one : findings.found)
    found.push_back(json_of(one));
  Json& rules = json["rules"] = Json::object();
  for (const Finding& one : findings.found)
    rules[std::string(text_of(one.rule).name)] = text_of(one.rule).explanation;
  Json& unseen = json["unseen"] = Json::array();
  for (const Unseen& one : findings.unseen)
    unseen.push_back(json_of(one));
  Json& capabilities = json["capabilities"] = Json::array();
  for (const auto& [held, amount] : findings.device_code.codes)
    capabilities.push_back(json_of(held, amount));
  if (!more.empty())
    json.update(Json::parse(more, nullptr, false));
  // File names are any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

namespace {

/// Where it is. Binary files have no lines: members and sections are logical locations, identified by name.
finding::SarifResult located(const Location& where) {
  finding::SarifResult result;
  result.path = whole_path(where);
  if (where.member.empty())
    result.offset = where.offset;
  result.name = shown(Location{"", where.member, {}, std::nullopt});
  if (!where.section.empty())
    result.name += (result.name.empty() ? "" : " ") + where.section;
  return result;
}

std::string message_of(const Finding& finding) {
  std::string text(text_of(finding.rule).name);
  if (!finding.reference.empty())
    text += ": " + finding.reference;
  text += ". " + (finding.explanation.empty() ? std::string(text_of(finding.rule).explanation)
                                              : finding.explanation);
  if (!finding.resolved.empty()) {
    std::string relation(resolution(finding));
    relation.front() = static_cast<char>(relation.front() - 'a' + 'A');
    text += ' ' + relation + ": " + finding.resolved + '.';
  }
  return text;
}

} // namespace

std::string report_sarif(const Findings& findings, std::string_view version, Tool tool) {
  finding::SarifLog log{suite_of(tool), version, {}, {}, std::vector<finding::SarifResult>()};
  const std::vector<RuleText> rules = rules_of(tool);
  for (const RuleText& rule : rules)
    log.rules.push_back({rule.name, rule.explanation, rule.fix, to_string(rule.highest)});
  for (const Unseen& unseen : findings.unseen) {
    finding::SarifResult one = located(unseen.where);
    one.level = "error";
    one.message = "not scanned: " + unseen.reason;
    log.notifications->push_back(std::move(one));
  }
  for (const Finding& found : findings.found) {
    finding::SarifResult one = located(found.where);
    one.rule = text_of(found.rule).name;
    one.index =
        static_cast<std::size_t>(std::ranges::find(rules, found.rule, &RuleText::rule) - rules.begin());
    one.level = to_string(found.severity);
    one.message = message_of(found);
    one.fingerprint = fingerprint(found);
    log.results.push_back(std::move(one));
  }
  return sarif_text(log);
}

} // namespace hostpin::leak
