// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/report.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

using Json = nlohmann::ordered_json;

/// A path as a relative or absolute URI reference (RFC 3986): names are any bytes.
std::string uri(std::string_view path) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain.find(c) != std::string_view::npos)
      text += c;
    else
      text.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
  }
  // Two slashes first would make a host of what is a directory.
  return text.starts_with("//") ? "file://" + text.substr(1) : text;
}

Json rule_of(const RuleText& rule) {
  return {{"id", rule.name},
          {"shortDescription", {{"text", rule.explanation}}},
          {"help", {{"text", rule.cure}}},
          {"defaultConfiguration", {{"level", to_string(rule.severity)}}}};
}

/// What has no lines: a member and a section are logical places, and so told by name.
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
  if (!finding.resolved.empty())
    text +=
        (resolution(finding) == "leads to" ? " Leads to: " : " Would be loaded: ") + finding.resolved + '.';
  return text;
}

Json result_of(const Finding& finding) {
  return {{"ruleId", text_of(finding.rule).name},
          {"ruleIndex", static_cast<std::size_t>(finding.rule)},
          {"level", to_string(finding.severity)},
          {"message", {{"text", message_of(finding)}}},
          {"locations", Json::array({location_of(finding.where)})},
          {"partialFingerprints", {{"hostpin/v1", fingerprint(finding)}}}};
}

Json notification_of(const Unseen& unseen) {
  return {{"level", "error"},
          {"message", {{"text", "not looked at: " + unseen.reason}}},
          {"locations", Json::array({location_of(unseen.where)})}};
}

} // namespace

std::string report_sarif(const Findings& findings, std::string_view version) {
  Json driver{{"name", "hostpin leak-check"}, {"version", version}, {"rules", Json::array()}};
  for (const RuleText& rule : rules())
    driver["rules"].push_back(rule_of(rule));
  Json invocation{{"executionSuccessful", findings.unseen.empty()},
                  {"toolExecutionNotifications", Json::array()}};
  for (const Unseen& unseen : findings.unseen)
    invocation["toolExecutionNotifications"].push_back(notification_of(unseen));
  Json results = Json::array();
  for (const Finding& finding : findings.found)
    results.push_back(result_of(finding));
  const Json json{
      {"$schema",
       "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({{{"tool", {{"driver", std::move(driver)}}},
                             {"invocations", Json::array({std::move(invocation)})},
                             {"results", std::move(results)}}})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin
