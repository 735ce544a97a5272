// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/leak-check/report/written.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin;
using test::json_of;

TEST_CASE("a finding for programs has every key, and null for what is not known") {
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
  const auto json = nlohmann::json::parse(json_of(findings));
  CHECK(json["schema"] == 1);
  const auto keys = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& item : object.items())
      names.push_back(item.key());
    return names;
  };
  using Names = std::vector<std::string>;
  const auto ordered = nlohmann::ordered_json::parse(json_of(findings));
  CHECK(keys(ordered) == Names{"schema", "files", "bytes", "findings", "unseen", "capabilities", "left_out",
                               "unseen_left_out"});
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
  CHECK(json["left_out"] == nlohmann::json::array());
  CHECK(json["unseen_left_out"] == 0);
}

TEST_CASE("a report is laid out as if it had been there as a whole, and written finding by finding") {
  Findings findings;
  for (int i = 0; i < 3; ++i)
    findings.found.push_back({Rule::forbidden_reference,
                              Severity::note,
                              {"a\nb", {"y", "z"}, {}, 1},
                              std::to_string(i),
                              {},
                              {},
                              {}});
  std::size_t pieces = 0, longest = 0;
  std::string text;
  report_json(findings, [&](std::string_view piece) {
    ++pieces;
    longest = std::max(longest, piece.size());
    text += piece;
    return true;
  });
  CHECK(text == nlohmann::ordered_json::parse(text).dump(2) + '\n');
  CHECK(json_of({}) == nlohmann::ordered_json::parse(json_of({})).dump(2) + '\n');
  CHECK(pieces > 6);
  CHECK(longest < text.size() / 3);
}

TEST_CASE("nothing more is written where writing has failed") {
  Findings findings;
  for (int i = 0; i < 10; ++i)
    findings.found.push_back({Rule::missing_library, Severity::error, {}, std::to_string(i), {}, {}, {}});
  std::size_t pieces = 0;
  report_json(findings, [&](std::string_view) { return ++pieces < 8; });
  CHECK(pieces == 8);
}

TEST_CASE("what there was no room for is told by rule and severity") {
  Findings findings;
  findings.found = FindingList(0);
  for (const Severity severity : {Severity::error, Severity::note, Severity::note})
    findings.found.push_back({Rule::dangling_runpath, severity, {}, "/a", {}, {}, {}});
  findings.unseen = UnseenList(0);
  findings.unseen.push_back({{"p", {}, {}, {}}, "Permission denied"});
  const auto json = nlohmann::json::parse(json_of(findings));
  CHECK(json["findings"] == nlohmann::json::array());
  CHECK(json["left_out"] == nlohmann::json::parse(R"([
          {"rule": "dangling-runpath", "severity": "error", "count": 1},
          {"rule": "dangling-runpath", "severity": "note", "count": 2}])"));
  CHECK(json["unseen_left_out"] == 1);
  CHECK(left_out_text(findings) ==
        "3 findings (error dangling-runpath: 1, note dangling-runpath: 2) and 1 file not looked at; a larger "
        "--memory lists more");
  const std::string text = test::text_of(findings, false);
  CHECK(text.find("not listed anywhere, for want of memory: 3 findings (") != std::string::npos);
  CHECK(text.ends_with("0 files: 1 error, 0 warnings, 2 notes (--notes shows them), 1 not looked at\n"));
  const auto sarif = nlohmann::json::parse(test::sarif_of(findings, "1"));
  const auto& invocation = sarif["runs"][0]["invocations"][0];
  CHECK(invocation["executionSuccessful"] == false);
  CHECK(invocation["toolExecutionNotifications"][0]["message"]["text"].get<std::string>().starts_with(
      "not in this log: 3 findings"));
}

TEST_CASE("the device code of a tree is summed by capability and kind") {
  DeviceCodeHead head;
  head.code = DeviceCode::cubin;
  head.architecture = 90;
  head.variant = Capability::Variant::architecture_specific;
  head.header = 64;
  head.payload = 936;
  Findings findings;
  findings.device_code.begin_fatbin();
  findings.device_code.add(head);
  findings.device_code.add(head);
  findings.device_code.begin_fatbin();
  head.architecture = 86;
  findings.device_code.add(head, CodeUse::none); // in the JSON alone
  const auto json = nlohmann::json::parse(json_of(findings));
  CHECK(json["capabilities"] == nlohmann::json::parse(R"([
          {"capability": "8.6a", "code": "cubin", "use": "none", "entries": 1, "bytes": 1000},
          {"capability": "9.0a", "code": "cubin", "use": "run", "entries": 2, "bytes": 2000}])"));
  CHECK(test::text_of(findings, false).find("device code: 9.0a machine code (hostpin fatbin shows more)\n") !=
        std::string::npos);
  CHECK(test::text_of({}, false).find("device code") == std::string::npos);
}

TEST_CASE("a path begins with its tree where there are several") {
  Findings findings;
  findings.found = {
      {Rule::forbidden_reference, Severity::note, {"x", {}, {}, std::nullopt, "/out"}, "/a", {}, {}, {}}};
  findings.unseen = {{{"y", {}, {}, std::nullopt, "/out"}, "Permission denied"}};
  const auto json = nlohmann::json::parse(json_of(findings));
  CHECK(json["findings"][0]["path"] == "/out/x");
  CHECK(json["unseen"][0]["path"] == "/out/y");
}

TEST_CASE("names that are no UTF-8 still give JSON") {
  Findings findings;
  findings.found = {
      {Rule::forbidden_reference, Severity::note, {"\xFF\n", {}, {}, std::nullopt}, "\x80", {}, {}, {}}};
  CHECK(nlohmann::json::accept(json_of(findings)));
}
