// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/finding/sarif.hpp"

#include <doctest/doctest.h>

using namespace hostpin::finding;

TEST_CASE("a log has its rules, results and what could not be checked") {
  SarifLog log{"t", "1", {{"r", "means", "fix it", "error"}}, {}, std::vector<SarifResult>()};
  log.indent = -1;
  log.schema = "S";
  SarifResult one{"r", 0, "error", "m", "//a b", 7, 0, 0, "member", {}, "f"};
  log.results.push_back(one);
  CHECK(
      sarif_text(log) ==
      R"({"$schema":"S","version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","version":"1","rules":[)"
      R"({"id":"r","shortDescription":{"text":"means"},"help":{"text":"fix it"},)"
      R"("defaultConfiguration":{"level":"error"}}]}},)"
      R"("invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[]}],"results":[)"
      R"({"ruleId":"r","ruleIndex":0,"level":"error","message":{"text":"m"},"locations":[)"
      R"({"physicalLocation":{"artifactLocation":{"uri":"file:///a%20b"},"region":{"byteOffset":7}},)"
      R"("logicalLocations":[{"fullyQualifiedName":"member"}]}],"partialFingerprints":{"hostpin/v1":"f"}}]}]})"
      "\n");
}

TEST_CASE("what is not known is left out") {
  SarifLog log{
      "t", "1", {{"r", "means", {}, {}}}, {{"r", {}, "note", "m", {}, {}, 0, 0, "c", "cell", {}}}, {}};
  log.indent = -1;
  log.schema = "S";
  CHECK(sarif_text(log) ==
        R"({"$schema":"S","version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","version":"1","rules":[)"
        R"({"id":"r","shortDescription":{"text":"means"}}]}},"results":[)"
        R"({"ruleId":"r","level":"note","message":{"text":"m"},"locations":[)"
        R"({"logicalLocations":[{"fullyQualifiedName":"c","kind":"cell"}]}]}]}]})"
        "\n");
}
