// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/report/content.hpp"

#include <string>

namespace hostpin {

/// Each part of the page as HTML, complete without the script: <section> with a heading of the second level.
std::string decision_section(const ReportContent& content);
std::string matrix_section(const ReportContent& content);
std::string lto_section(const ReportLto& lto);
std::string leaks_section(const ReportLeaks& leaks);
std::string libraries_section(const ReportLibraries& libraries);

/// All findings for the script, which shows them page by page: JSON that is safe in a <script> element.
std::string leaks_data(const ReportLeaks& leaks);

/// Number of findings in the page itself, for browsers without scripts.
constexpr std::size_t static_findings = 200;

} // namespace hostpin
