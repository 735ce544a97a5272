// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "toolchains/base/terminal.hpp"

#include <string>
#include <string_view>

namespace hostpin {

// Each report ends with a newline.

/// For people: the most severe first, what has one cause together. Notes are only counted unless `notes`.
/// Explanations and cures are wrapped; what is searched for stays on one line each: `SEVERITY: RULE:
/// REFERENCE`, the places below that, and the last line.
std::string report_text(const Findings& findings, bool notes, const Terminal& terminal = endless);

/// For programs, all of it; the schema is in command/README.md.
std::string report_json(const Findings& findings);

/// SARIF 2.1.0, for what shows findings beside code. `version`: hostpin's.
std::string report_sarif(const Findings& findings, std::string_view version);

/// Every rule with its highest severity, explanation and cure.
std::string rules_text(const Terminal& terminal = endless);

} // namespace hostpin
