// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace hostpin::leak {

namespace {

/// Text of XML 1.0, which has no control characters even as references.
std::string xml(std::string_view text) {
  std::string safe;
  for (const char c : escaped(text))
    switch (c) {
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    default:
      safe += c;
    }
  return safe;
}

/// `wheel.whl(pkg/_C.so), .dynamic: libfoo.so.1. Explanation. Fix: ...`
std::string line_of(const Finding& finding) {
  const RuleText& rule = text_of(finding.rule);
  std::string line = shown(finding.where);
  if (!finding.where.section.empty())
    line += ", " + finding.where.section;
  if (!finding.reference.empty())
    line += ": " + finding.reference;
  const std::string_view fix = finding.fix.empty() ? rule.fix : std::string_view(finding.fix);
  return fmt::format("{}: {}. {} Fix: {}", to_string(finding.severity), line,
                     finding.explanation.empty() ? rule.explanation : std::string_view(finding.explanation),
                     fix);
}

std::string case_text(const RuleText& rule, const Findings& findings, std::string_view suite) {
  std::string failures, output;
  for (const Finding& one : findings.found)
    if (one.rule == rule.rule)
      (one.severity == Severity::error ? failures : output) += xml(line_of(one)) + '\n';
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", suite, rule.name);
  if (failures.empty() && output.empty())
    return text + "/>\n";
  text += ">\n";
  if (!failures.empty())
    text += fmt::format("      <failure message=\"{}\">{}</failure>\n", xml(rule.explanation), failures);
  if (!output.empty())
    text += "      <system-out>" + output + "</system-out>\n";
  return text + "    </testcase>\n";
}

std::string unseen_text(const Findings& findings, std::string_view suite) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"scanned\"", suite);
  if (findings.unseen.empty())
    return text + "/>\n";
  std::string reasons;
  for (const Unseen& one : findings.unseen)
    reasons += xml(shown(one.where) + ": " + one.reason) + '\n';
  return text + fmt::format(">\n      <error message=\"not scanned\">{}</error>\n    </testcase>\n", reasons);
}

} // namespace

std::string report_junit(const Findings& findings, Tool tool) {
  const std::string_view suite = tool == Tool::wheel ? "hostpin wheel" : "hostpin leak-check";
  const std::vector<RuleText> rules = rules_of(tool);
  const auto failed = std::count_if(rules.begin(), rules.end(), [&](const RuleText& rule) {
    return std::any_of(findings.found.begin(), findings.found.end(), [&](const Finding& one) {
      return one.rule == rule.rule && one.severity == Severity::error;
    });
  });
  const std::string totals = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", rules.size() + 1,
                                         failed, findings.unseen.empty() ? 0 : 1);
  std::string text = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n"
                                 "  <testsuite name=\"{}\" {}>\n",
                                 totals, suite, totals);
  for (const RuleText& rule : rules)
    text += case_text(rule, findings, suite);
  return text + unseen_text(findings, suite) + "  </testsuite>\n</testsuites>\n";
}

} // namespace hostpin::leak
