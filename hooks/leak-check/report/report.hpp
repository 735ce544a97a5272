// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/list.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace hostpin {

/// Takes the next piece of a report; false when it cannot be written, and nothing more is wanted.
using Write = std::function<bool(std::string_view)>;

// Reports are written piece by piece: none is ever there as a whole. Each ends with a newline, and is cut
// where `write` says that it cannot go on.

/// For people: the gravest first, what has one cause together. Notes are only counted unless `notes`. Never
/// empty.
void report_text(const Findings& findings, bool notes, const Write& write);

/// For programs, all of it; the schema is in command/README.md.
void report_json(const Findings& findings, const Write& write);

/// SARIF 2.1.0, for what shows findings beside code. `version`: hostpin's.
void report_sarif(const Findings& findings, std::string_view version, const Write& write);

/// Every rule with its gravest severity, explanation and cure.
std::string rules_text();

/// `118 findings (3 forbidden-reference: error, 115 dangling-runpath: note) and ...` of what was counted and
/// is not in the list; empty when all is.
std::string left_out_text(const Findings& findings);

} // namespace hostpin
