// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/content.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::report;

TEST_CASE("an answer of leak-check is read whole") {
  const auto leaks = leaks_answer(R"({"schema": 1, "files": 3, "bytes": 40, "findings": [
      {"rule": "wrong-libstdcxx", "severity": "error", "path": "lib/a.a", "member": ["x.a", "y.o"], "section": ".dynamic",
       "offset": 12, "reference": "libstdc++.so.6", "resolved": null, "explanation": "e", "cure": "c", "fingerprint": "f"}],
      "unseen": [{"path": "p", "member": ["m"], "section": null, "reason": "r"}]})",
                                  "FILE");
  REQUIRE(leaks);
  CHECK(leaks->findings[0].explanation == "e");
  CHECK(leaks->files == 3);
  CHECK(leaks->bytes == 40);
  REQUIRE(leaks->findings.size() == 1);
  const ReportFinding& finding = leaks->findings[0];
  CHECK(finding.rule == "wrong-libstdcxx");
  CHECK(finding.member == "x.a > y.o");
  CHECK(finding.offset == 12);
  CHECK(finding.resolved.empty());
  REQUIRE(leaks->unseen.size() == 1);
  CHECK(leaks->unseen[0].path == "p(m)");
}

TEST_CASE("an answer of lto-check names its linkers") {
  const auto lto =
      lto_answer(R"({"schema": 1, "linker": {"path": "/usr/bin/ld", "family": "bfd", "version": "2.40",
      "reads": {"gcc_lto": "12.0"}}, "device_linker": null, "inputs": [{"path": "a.o", "member": [], "format": "gcc-lto",
      "version": "13.1", "producer": "GCC 13", "slim": true, "verdict": "mismatch", "refused": true, "expected": "LTO 12.0",
      "reason": "r", "cure": "c"}]})",
                 "FILE");
  REQUIRE(lto);
  CHECK(lto->linker == "bfd 2.40 (/usr/bin/ld), reads LTO of GCC 12.0");
  REQUIRE(lto->inputs.size() == 1);
  CHECK(lto->inputs[0].refused);
  CHECK(lto->inputs[0].verdict == "mismatch");
  CHECK(lto->missing.empty());
}

TEST_CASE("an answer of lto-check names what is not there") {
  const auto lto = lto_answer(R"({"schema": 1, "missing": ["a.o", 3, "@b"], "inputs": []})", "FILE");
  REQUIRE(lto);
  CHECK(lto->missing == std::vector<std::string>{"a.o", "@b"});
  CHECK(lto_answer(R"({"schema": 1, "missing": "a.o", "inputs": []})", "FILE")->missing.empty());
}

TEST_CASE("anything else is refused by name") {
  for (const char* const text :
       {"", "[]", "null", "{}", "{\"schema\":1}", "{\"schema\":2,\"findings\":[]}",
        "{\"schema\":1,\"findings\":{}}", "{\"schema\":1,\"findings\":[3]}",
        "{\"schema\":1,\"findings\":[{}]}", "{\"schema\":1,\"findings\":[", "\xff"}) {
    const auto leaks = leaks_answer(text, "some FILE");
    REQUIRE_FALSE(leaks);
    CHECK(leaks.error().message.find("some FILE") != std::string::npos);
    CHECK_FALSE(lto_answer(text, "x"));
  }
}

TEST_CASE("values of other kinds than expected are left out") {
  const auto leaks = leaks_answer(
      R"({"schema": 1, "files": -3, "findings": [{"rule": "r", "severity": "error", "path": 5, "member": "x", "offset": "y"}]})",
      "FILE");
  REQUIRE(leaks);
  CHECK(leaks->files == 0);
  CHECK(leaks->findings[0].path.empty());
  CHECK_FALSE(leaks->findings[0].offset);
}

TEST_CASE("the text of a rule is separated from the explanation of the case") {
  const auto leaks = leaks_answer(R"({"schema": 1, "rules": {"r": "A rule.", "s": "Alone."}, "findings": [
      {"rule": "r", "severity": "error", "explanation": "A rule. This case."},
      {"rule": "s", "severity": "error", "explanation": "Alone."},
      {"rule": "t", "severity": "error", "explanation": "Unknown rule."}]})",
                                  "FILE");
  REQUIRE(leaks);
  CHECK(leaks->rules.at("r") == "A rule.");
  CHECK(leaks->findings[0].explanation == "This case.");
  CHECK(leaks->findings[1].explanation.empty());
  CHECK(leaks->findings[2].explanation == "Unknown rule.");
}
