// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/json_stream.hpp"
#include "hooks/leak-check/report/report.hpp"
#include "toolchains/base/path_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

using Json = JsonStream::Value;

/// A path as a relative or absolute URI reference (RFC 3986): names are any bytes.
std::string uri(std::string_view path) {
  std::string text = percent_encoded(path);
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

/// Whoever compares two logs takes a result that is no longer there for one that was mended.
Json notification_of(const std::string& left_out) {
  return {{"level", "error"}, {"message", {{"text", "not in this log: " + left_out}}}};
}

} // namespace

void report_sarif(const Findings& findings, std::string_view version, const Write& write) {
  JsonStream stream(write);
  stream.open('{');
  stream.member("$schema",
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
  stream.member("version", "2.1.0");
  stream.open('[', "runs");
  stream.open('{');
  Json driver{{"name", "hostpin leak-check"}, {"version", version}, {"rules", Json::array()}};
  for (const RuleText& rule : rules())
    driver["rules"].push_back(rule_of(rule));
  stream.member("tool", {{"driver", std::move(driver)}});
  stream.open('[', "invocations");
  stream.open('{');
  stream.member("executionSuccessful", findings.unseen.empty() && findings.is_whole());
  stream.open('[', "toolExecutionNotifications");
  for (auto one = findings.unseen.begin(); one != findings.unseen.end() && stream.is_well(); ++one)
    stream.element(notification_of(*one));
  if (!findings.is_whole())
    stream.element(notification_of(left_out_text(findings)));
  stream.close(']');
  stream.close('}');
  stream.close(']');
  stream.open('[', "results");
  for (auto one = findings.found.begin(); one != findings.found.end() && stream.is_well(); ++one)
    stream.element(result_of(*one));
  stream.close(']');
  stream.close('}');
  stream.close(']');
  stream.close('}');
}

} // namespace hostpin
