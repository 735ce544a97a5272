// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "toolchains/redist/finding.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

// Reports of sorted findings; each ends with a newline.

/// One line: `FILE:LINE:COLUMN: SEVERITY: PACKAGE, PLATFORM: EXPLANATION [RULE]`, without what is not known.
std::string finding_line(const Finding& finding);

/// That line of each finding, then the fixes of the rules that were found, and how many files were checked.
std::string report_text(const std::vector<Finding>& findings, std::size_t files, const Terminal& terminal);

/// JSON; the schema is share/hostpin/schema/redist-check.schema.json.
std::string report_json(const std::vector<Finding>& findings, std::size_t files);

/// SARIF 2.1.0. `version`: hostpin's; `program`: the command that found them.
std::string report_sarif(const std::vector<Finding>& findings, std::string_view version,
                         std::string_view program = "hostpin redist check");

} // namespace hostpin::redist
