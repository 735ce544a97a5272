// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::leak;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_CASE("each rule of a tool is a test, and only errors fail it") {
  Findings findings;
  findings.found = {{Rule::record_incomplete,
                     Severity::error,
                     {"w.whl", {"RECORD"}, {}, std::nullopt},
                     "a<b>.py",
                     {},
                     "Not \"listed\".",
                     {}},
                    {Rule::order_dependent,
                     Severity::warning,
                     {"w.whl", {"_C.so"}, ".dynamic", std::nullopt},
                     "libx.so",
                     {},
                     {},
                     "Do."}};
  const std::string text = report_junit(findings, Tool::wheel);
  CHECK(count(text, "<testcase ") == rules_of(Tool::wheel).size() + 1);
  CHECK(count(text, "<failure ") == 1);
  CHECK(text.find("failures=\"1\" errors=\"0\"") != std::string::npos);
  CHECK(text.find("error: w.whl(RECORD): a&lt;b&gt;.py. Not &quot;listed&quot;. Fix: ") != std::string::npos);
  CHECK(text.find("<system-out>warning: w.whl(_C.so), .dynamic: libx.so.") != std::string::npos);
  CHECK(text.find("Fix: Do.") != std::string::npos);
}

TEST_CASE("what could not be scanned is an error of a test, and control characters are escaped") {
  Findings findings;
  findings.unseen = {{{"w.whl",
                       {"a\x01"
                        "b"},
                       {},
                       std::nullopt},
                      "it is cut short"}};
  const std::string text = report_junit(findings, Tool::leak_check);
  CHECK(text.find("errors=\"1\"") != std::string::npos);
  CHECK(text.find("<error message=\"not scanned\">w.whl(a\\x01b): it is cut short") != std::string::npos);
  CHECK(text.find('\x01') == std::string::npos);
  CHECK(text.find("hostpin leak-check") != std::string::npos);
}

TEST_CASE("wheel has the rules that it shares with leak-check, which has none of wheel's own") {
  const auto has = [](Tool tool, std::string_view name) {
    for (const RuleText& one : rules_of(tool))
      if (one.name == name)
        return true;
    return false;
  };
  CHECK(has(Tool::wheel, "vendored-driver"));
  CHECK(has(Tool::wheel, "second-cuda-runtime"));
  CHECK_FALSE(has(Tool::wheel, "driver-runpath"));
  CHECK(has(Tool::leak_check, "vendored-driver"));
  CHECK_FALSE(has(Tool::leak_check, "second-cuda-runtime"));
  CHECK_FALSE(rule_named("second-cuda-runtime"));
}
