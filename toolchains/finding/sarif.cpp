// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/finding/sarif.hpp"

#include "toolchains/base/path_text.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::finding {

namespace {

using Json = nlohmann::ordered_json;

/// A path as a relative or absolute URI reference (RFC 3986): names are any bytes.
std::string uri(std::string_view path) {
  std::string text = percent_encoded(path);
  // After two slashes at the beginning a directory would be read as a host.
  return text.starts_with("//") ? "file://" + text.substr(1) : text;
}

Json rule_of(const SarifRule& rule) {
  Json json{{"id", rule.id}, {"shortDescription", {{"text", rule.meaning}}}};
  if (!rule.fix.empty())
    json["help"] = {{"text", rule.fix}};
  if (!rule.level.empty())
    json["defaultConfiguration"] = {{"level", rule.level}};
  return json;
}

Json location_of(const SarifResult& result) {
  Json location = Json::object();
  if (!result.path.empty()) {
    Json physical{{"artifactLocation", {{"uri", uri(result.path)}}}};
    if (result.offset)
      physical["region"] = {{"byteOffset", *result.offset}};
    else if (result.line != 0)
      physical["region"] = {{"startLine", result.line}, {"startColumn", result.column}};
    location["physicalLocation"] = std::move(physical);
  }
  if (!result.name.empty()) {
    Json logical{{"fullyQualifiedName", result.name}};
    if (!result.kind.empty())
      logical["kind"] = result.kind;
    location["logicalLocations"] = Json::array({std::move(logical)});
  }
  return location;
}

Json json_of(const SarifResult& result) {
  Json json = Json::object();
  if (!result.rule.empty())
    json["ruleId"] = result.rule;
  if (result.index)
    json["ruleIndex"] = *result.index;
  json["level"] = result.level;
  json["message"] = {{"text", result.message}};
  json["locations"] = Json::array({location_of(result)});
  if (!result.fingerprint.empty())
    json["partialFingerprints"] = {{"hostpin/v1", result.fingerprint}};
  return json;
}

template <typename Items, typename Make>
Json list_of(const Items& items, Make make) {
  Json list = Json::array();
  for (const auto& item : items)
    list.push_back(make(item));
  return list;
}

} // namespace

std::string sarif_text(const SarifLog& log) {
  Json run{
      {"tool",
       {{"driver", {{"name", log.tool}, {"version", log.version}, {"rules", list_of(log.rules, rule_of)}}}}}};
  if (log.notifications)
    run["invocations"] =
        Json::array({{{"executionSuccessful", log.notifications->empty()},
                      {"toolExecutionNotifications", list_of(*log.notifications, json_of)}}});
  run["results"] = list_of(log.results, json_of);
  const Json whole{{"$schema", log.schema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  return whole.dump(log.indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin::finding
