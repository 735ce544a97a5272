// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"
#include "toolchains/base/path_text.hpp"

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

/// A path as a relative or absolute URI reference (RFC 3986): names are any bytes.
std::string uri(std::string_view path) {
  std::string text = percent_encoded(path);
  // After two slashes at the beginning a directory would be read as a host.
  return text.starts_with("//") ? "file://" + text.substr(1) : text;
}

Json rule_of(const RuleText& rule) {
  return {{"id", rule.name},
          {"shortDescription", {{"text", rule.explanation}}},
          {"help", {{"text", rule.fix}}},
          {"defaultConfiguration", {{"level", to_string(rule.highest)}}}};
}

/// Binary files have no lines: members and sections are logical locations, identified by name.
Json location_of(const Location& where) {
  Json physical{{"artifactLocation", {{"uri", uri(whole_path(where))}}}};
  if (where.member.empty() && where.offset)
    physical["region"] = {{"byteOffset", *where.offset}};
  Json location{{"physicalLocation", std::move(physical)}};
  std::string name = shown(Location{"", where.member, {}, std::nullopt});
  if (!where.section.empty())
    name += (name.empty() ? "" : " ") + where.section;
  if (!name.empty())
    location["logicalLocations"] = Json::array({{{"fullyQualifiedName", name}}});
  return location;
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

Json result_of(const Finding& finding, const std::vector<RuleText>& rules) {
  const auto row =
      std::find_if(rules.begin(), rules.end(), [&](const RuleText& one) { return one.rule == finding.rule; });
  return {{"ruleId", text_of(finding.rule).name},
          {"ruleIndex", row - rules.begin()},
          {"level", to_string(finding.severity)},
          {"message", {{"text", message_of(finding)}}},
          {"locations", Json::array({location_of(finding.where)})},
          {"partialFingerprints", {{"hostpin/v1", fingerprint(finding)}}}};
}

Json notification_of(const Unseen& unseen) {
  return {{"level", "error"},
          {"message", {{"text", "not scanned: " + unseen.reason}}},
          {"locations", Json::array({location_of(unseen.where)})}};
}

} // namespace

std::string report_sarif(const Findings& findings, std::string_view version, Tool tool) {
  const char* const name = tool == Tool::wheel ? "hostpin wheel" : "hostpin leak-check";
  Json driver{{"name", name}, {"version", version}, {"rules", Json::array()}};
  const std::vector<RuleText> rules = rules_of(tool);
  for (const RuleText& rule : rules)
    driver["rules"].push_back(rule_of(rule));
  Json notifications = Json::array(), results = Json::array();
  for (const Unseen& one : findings.unseen)
    notifications.push_back(notification_of(one));
  for (const Finding& one : findings.found)
    results.push_back(result_of(one, rules));
  Json invocation{{"executionSuccessful", findings.unseen.empty()},
                  {"toolExecutionNotifications", std::move(notifications)}};
  Json run{{"tool", {{"driver", std::move(driver)}}}};
  run["invocations"].push_back(std::move(invocation));
  run["results"] = std::move(results);
  Json log{{"$schema",
            "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
           {"version", "2.1.0"}};
  log["runs"].push_back(std::move(run));
  // Messages contain file names, which are any bytes.
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin::leak
