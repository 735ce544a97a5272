// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/report.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin;

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
  CHECK(keys(ordered) == Names{"schema", "files", "bytes", "findings", "unseen", "capabilities"});
  for (const auto& finding : ordered["findings"])
    CHECK(keys(finding) == Names{"rule", "severity", "path", "member", "section", "offset", "reference",
                                 "resolved", "explanation", "cure", "fingerprint"});
  CHECK(keys(ordered["unseen"][0]) == Names{"path", "member", "section", "reason"});
  const auto& first = json["findings"][0];
  CHECK(first["rule"] == "wrong-libstdcxx");
  CHECK(first["severity"] == "error");
  CHECK(first["resolved"] == "/x/libstdc++.so.6");
  CHECK(first["offset"].is_null());
  CHECK(first["explanation"].get<std::string>().ends_with("Why."));
  CHECK(first["cure"] == text_of(Rule::wrong_libstdcxx).cure);
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
  findings.device_code.add(head, CodeUse::none); // in the JSON alone
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
