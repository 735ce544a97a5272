// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"

#include <string>
#include <string_view>

namespace hostpin {

/// For people: the gravest first, what has one cause together. Notes are only counted unless `notes`. Never
/// empty.
std::string report_text(const Findings& findings, bool notes);

/// For programs, all of it; the schema is in command/README.md. Ends with a newline.
std::string report_json(const Findings& findings);

/// SARIF 2.1.0, for what shows findings beside code. `version`: hostpin's. Ends with a newline.
std::string report_sarif(const Findings& findings, std::string_view version);

/// Every rule with its gravest severity, explanation and cure.
std::string rules_text();

} // namespace hostpin
