// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "toolchains/base/terminal.hpp"

#include <string>
#include <string_view>

namespace hostpin::leak {

// Each report ends with a newline.

/// For people: the most severe first, grouped by cause. Notes are only counted unless `notes`. Explanations
/// and fixes are wrapped; lines that tools search are not: `SEVERITY: RULE: REFERENCE`, the locations below
/// it, and the last line.
std::string report_text(const Findings& findings, bool notes, const Terminal& terminal = endless);

/// For programs, complete; the schema is in command/README.md. `more`: a JSON object with further members;
/// empty for none.
std::string report_json(const Findings& findings, std::string_view more = {});

/// `hostpin wheel` or `hostpin leak-check`.
inline std::string_view suite_of(Tool tool) {
  return tool == Tool::wheel ? "hostpin wheel" : "hostpin leak-check";
}

/// SARIF 2.1.0, for tools that show findings next to code. `version`: hostpin's.
std::string report_sarif(const Findings& findings, std::string_view version, Tool tool = Tool::leak_check);

/// JUnit's XML, for CI systems that show tests: each rule of the tool is a test, which fails if it found an
/// error. Warnings and notes are in its output. What could not be scanned is an error of a test of its own.
std::string report_junit(const Findings& findings, Tool tool);

/// Every rule with its highest severity, explanation and fix.
std::string rules_text(const Terminal& terminal = endless, Tool tool = Tool::leak_check);

} // namespace hostpin::leak
