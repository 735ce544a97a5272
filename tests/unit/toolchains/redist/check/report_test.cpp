// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/check/report.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

std::vector<Finding> two_findings() {
  Finding first = finding(Rule::malformed_hash, "a b.json", {3, 7}, "sha256", "'x' is no hash.");
  first.package = "libcublas";
  first.platform = "linux-sbsa";
  return {first, finding(Rule::unknown_license, "b\n.json", {}, "s", "It is gone.")};
}

} // namespace

TEST_CASE("the text has a line for each finding, one hint for each rule, and the counts") {
  CHECK(report_text(two_findings(), 2, endless) ==
        "a b.json:3:7: error: libcublas, linux-sbsa: 'x' is no hash. [malformed-hash]\n"
        "b\\n.json: warning: It is gone. [unknown-license]\n"
        "hint: malformed-hash: Compute it again from the archive.\n"
        "hint: unknown-license: Read the text before you redistribute anything.\n"
        "2 files, 1 error, 1 warning, 0 notes\n");
  CHECK(report_text({}, 1, endless) == "1 file, 0 errors, 0 warnings, 0 notes\n");
}

TEST_CASE("JSON has each finding with position, package and platform, or null") {
  const auto json = nlohmann::json::parse(report_json(two_findings(), 2));
  CHECK(json["schema"] == 1);
  CHECK(json["files"] == 2);
  const auto& first = json["findings"][0];
  CHECK(first["rule"] == "malformed-hash");
  CHECK(first["severity"] == "error");
  CHECK(first["line"] == 3);
  CHECK(first["column"] == 7);
  CHECK(first["package"] == "libcublas");
  CHECK(first["cure"] == "Compute it again from the archive.");
  CHECK(first["fingerprint"] == fingerprint(two_findings()[0]));
  CHECK(json["findings"][1]["line"].is_null());
  CHECK(json["findings"][1]["platform"].is_null());
}

TEST_CASE("SARIF has all rules, and results that refer to them") {
  const auto run = nlohmann::json::parse(report_sarif(two_findings(), "1"))["runs"][0];
  const auto& result = run["results"][0];
  CHECK(run["tool"]["driver"]["rules"].size() == rules().size());
  CHECK(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
  CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.json");
  CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 3);
  CHECK_FALSE(run["results"][1]["locations"][0]["physicalLocation"].contains("region"));
}
