// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin;
using namespace hostpin::leak;

TEST_CASE("a finding in JSON has every key, and null for what is not known") {
  Findings findings;
  findings.files = 2;
  findings.found = {
      {Rule::wrong_libstdcxx,
       Severity::error,
       {"bin/a", {}, ".dynamic", std::nullopt},
       "libstdc++.so.6",
       "/x/libstdc++.so.6",
       "Why.",
       {}},
      {Rule::forbidden_reference, Severity::warning, {"l.a", {"y.o"}, {}, 9}, "/opt", {}, {}, {}}};
  findings.unseen = {{{"secret", {}, {}, std::nullopt}, "Permission denied"}};
  const auto json = nlohmann::json::parse(report_json(findings));
  CHECK(json["schema"] == 1);
  const auto keys = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& item : object.items())
      names.push_back(item.key());
    return names;
  };
  using Names = std::vector<std::string>;
  const auto ordered = nlohmann::ordered_json::parse(report_json(findings));
  CHECK(keys(ordered) == Names{"schema", "files", "bytes", "findings", "rules", "unseen", "capabilities"});
  for (const auto& finding : ordered["findings"])
    CHECK(keys(finding) == Names{"rule", "severity", "path", "member", "section", "offset", "reference",
                                 "resolved", "explanation", "cure", "fingerprint"});
  CHECK(keys(ordered["unseen"][0]) == Names{"path", "member", "section", "reason"});
  CHECK(json["rules"]["wrong-libstdcxx"] == text_of(Rule::wrong_libstdcxx).explanation);
  CHECK(json["rules"].size() == 2);
  const auto& first = json["findings"][0];
  CHECK(first["rule"] == "wrong-libstdcxx");
  CHECK(first["severity"] == "error");
  CHECK(first["resolved"] == "/x/libstdc++.so.6");
  CHECK(first["offset"].is_null());
  CHECK(first["explanation"].get<std::string>().ends_with("Why."));
  CHECK(first["cure"] == text_of(Rule::wrong_libstdcxx).fix);
  CHECK(first["section"] == ".dynamic");
  CHECK(first["reference"] == "libstdc++.so.6");
  CHECK(first["path"] == "bin/a");
  CHECK(first["fingerprint"].get<std::string>().size() == 16);
  const auto& second = json["findings"][1];
  CHECK(second["member"] == nlohmann::json::array({"y.o"}));
  CHECK(second["offset"] == 9);
  CHECK(second["section"].is_null());
  CHECK(second["resolved"].is_null());
  CHECK(json["unseen"][0]["reason"] == "Permission denied");
}

TEST_CASE("the device code of a tree is summed by capability and kind") {
  binary::DeviceCodeHead head;
  head.code = binary::DeviceCode::cubin;
  head.architecture = 90;
  head.variant = binary::DeviceVariant::architecture_specific;
  head.header = 64;
  head.payload = 936;
  Findings findings;
  findings.device_code.begin_fatbin();
  findings.device_code.add(head);
  findings.device_code.add(head);
  findings.device_code.begin_fatbin();
  head.architecture = 86;
  findings.device_code.add(head, fatbin::CodeUse::none); // in the JSON alone
  const auto json = nlohmann::json::parse(report_json(findings));
  CHECK(json["capabilities"] == nlohmann::json::parse(R"([
          {"capability": "8.6a", "code": "cubin", "use": "none", "entries": 1, "bytes": 1000},
          {"capability": "9.0a", "code": "cubin", "use": "run", "entries": 2, "bytes": 2000}])"));
  CHECK(report_text(findings, false).find("device code: 9.0a machine code (hostpin fatbin shows more)\n") !=
        std::string::npos);
  CHECK(report_text({}, false).find("device code") == std::string::npos);
}

TEST_CASE("a path begins with its tree where there are several") {
  Findings findings;
  findings.found = {
      {Rule::forbidden_reference, Severity::note, {"x", {}, {}, std::nullopt, "/out"}, "/a", {}, {}, {}}};
  findings.unseen = {{{"y", {}, {}, std::nullopt, "/out"}, "Permission denied"}};
  const auto json = nlohmann::json::parse(report_json(findings));
  CHECK(json["findings"][0]["path"] == "/out/x");
  CHECK(json["unseen"][0]["path"] == "/out/y");
}

TEST_CASE("names that are not UTF-8 still give JSON") {
  Findings findings;
  findings.found = {
      {Rule::forbidden_reference, Severity::note, {"\xFF\n", {}, {}, std::nullopt}, "\x80", {}, {}, {}}};
  CHECK(nlohmann::json::accept(report_json(findings)));
}

namespace {

using Json = nlohmann::json;

Findings some_findings() {
  Findings findings;
  findings.found = {
      {Rule::wrong_libstdcxx,
       Severity::error,
       {"bin/a b\xFF", {}, ".dynamic", 24},
       "libstdc++.so.6",
       "/x/libstdc++.so.6",
       "Why.",
       {}},
      {Rule::forbidden_reference, Severity::note, {"l.a", {"y.o"}, {}, 9}, "/opt", {}, {}, {}},
      {Rule::dangling_runpath, Severity::warning, {"//x:y", {}, {}, std::nullopt}, "/a", {}, {}, {}}};
  findings.unseen = {{{"secret", {}, {}, std::nullopt}, "Permission denied"}};
  return findings;
}

/// What the schema of SARIF 2.1.0 (OASIS, errata 01) requires of an object: the required properties, and
/// those of the optional ones that are used here. It allows no others anywhere.
void check_object(const Json& json, std::initializer_list<std::string_view> required,
                  std::initializer_list<std::string_view> optional) {
  REQUIRE(json.is_object());
  for (const std::string_view name : required)
    CHECK_MESSAGE(json.contains(name), "lacks ", name);
  for (const auto& item : json.items()) {
    const std::string& key = item.key();
    bool known = false;
    for (const auto& names : {required, optional})
      for (const std::string_view name : names)
        known = known || name == key;
    CHECK_MESSAGE(known, "holds ", key);
  }
}

void check_level(const Json& json) {
  constexpr std::array<std::string_view, 4> levels = {"none", "note", "warning", "error"};
  const auto level = json.get<std::string>();
  CHECK(std::find(levels.begin(), levels.end(), level) != levels.end());
}

void check_message(const Json& json) {
  check_object(json, {"text"}, {});
  CHECK(json["text"].is_string());
}

void check_uri_reference(const std::string& uri) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const auto byte = static_cast<unsigned char>(uri[i]);
    CHECK(byte > 0x20);
    CHECK(byte < 0x7F);
    if (uri[i] == '%') {
      REQUIRE(i + 2 < uri.size());
      CHECK(digits.find(uri[i + 1]) != std::string_view::npos);
      CHECK(digits.find(uri[i + 2]) != std::string_view::npos);
    }
  }
}

void check_location(const Json& json) {
  check_object(json, {"physicalLocation"}, {"logicalLocations"});
  const Json& physical = json["physicalLocation"];
  check_object(physical, {"artifactLocation"}, {"region"});
  check_object(physical["artifactLocation"], {"uri"}, {});
  check_uri_reference(physical["artifactLocation"]["uri"]);
  if (physical.contains("region")) {
    check_object(physical["region"], {"byteOffset"}, {});
    CHECK(physical["region"]["byteOffset"].is_number_unsigned());
  }
  if (!json.contains("logicalLocations"))
    return;
  REQUIRE(json["logicalLocations"].is_array());
  for (const Json& logical : json["logicalLocations"])
    check_object(logical, {"fullyQualifiedName"}, {});
}

void check_locations(const Json& json) {
  REQUIRE(json.is_array());
  for (const Json& location : json)
    check_location(location);
}

} // namespace

TEST_CASE("SARIF has the properties that its schema requires, and no unknown ones") {
  const Json json = Json::parse(report_sarif(some_findings(), "1.2.3"));
  check_object(json, {"version", "runs"}, {"$schema"});
  CHECK(json["version"] == "2.1.0");
  REQUIRE(json["runs"].size() == 1);
  const Json& run = json["runs"][0];
  check_object(run, {"tool"}, {"invocations", "results"});
  check_object(run["tool"], {"driver"}, {});
  const Json& driver = run["tool"]["driver"];
  check_object(driver, {"name"}, {"version", "rules"});
  CHECK(driver["version"] == "1.2.3");
  REQUIRE(driver["rules"].size() == rules().size());
  for (const Json& rule : driver["rules"]) {
    check_object(rule, {"id"}, {"shortDescription", "help", "defaultConfiguration"});
    check_message(rule["shortDescription"]);
    check_message(rule["help"]);
    check_object(rule["defaultConfiguration"], {}, {"level"});
    check_level(rule["defaultConfiguration"]["level"]);
  }
  REQUIRE(run["invocations"].size() == 1);
  check_object(run["invocations"][0], {"executionSuccessful"}, {"toolExecutionNotifications"});
  for (const Json& notification : run["invocations"][0]["toolExecutionNotifications"]) {
    check_object(notification, {"message"}, {"level", "locations"});
    check_message(notification["message"]);
    check_level(notification["level"]);
    check_locations(notification["locations"]);
  }
  REQUIRE(run["results"].size() == 3);
  for (const Json& result : run["results"]) {
    check_object(result, {"message"}, {"ruleId", "ruleIndex", "level", "locations", "partialFingerprints"});
    check_message(result["message"]);
    check_level(result["level"]);
    check_locations(result["locations"]);
    CHECK(driver["rules"][result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
    for (const Json& fingerprint : result["partialFingerprints"])
      CHECK(fingerprint.is_string());
  }
}

TEST_CASE("SARIF reports what was found, where, and what was not scanned") {
  const Json json = Json::parse(report_sarif(some_findings(), "1"));
  const Json& run = json["runs"][0];
  const Json& first = run["results"][0];
  CHECK(first["ruleId"] == "wrong-libstdcxx");
  CHECK(first["level"] == "error");
  CHECK(first["message"]["text"].get<std::string>().find("/x/libstdc++.so.6") != std::string::npos);
  const Json& physical = first["locations"][0]["physicalLocation"];
  CHECK(physical["artifactLocation"]["uri"] == "bin/a%20b%FF");
  CHECK(physical["region"]["byteOffset"] == 24);
  CHECK(first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == ".dynamic");
  // An offset into a member is not one into the file.
  const Json& member = run["results"][1]["locations"][0];
  CHECK_FALSE(member["physicalLocation"].contains("region"));
  CHECK(member["logicalLocations"][0]["fullyQualifiedName"] == "(y.o)");
  CHECK(run["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///x%3Ay");
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] ==
        "not scanned: Permission denied");
}

TEST_CASE("SARIF of a clean tree has no result") {
  const Json json = Json::parse(report_sarif({}, "1"));
  CHECK(json["runs"][0]["results"] == Json::array());
  CHECK(json["runs"][0]["invocations"][0]["executionSuccessful"] == true);
}
