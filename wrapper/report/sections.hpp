// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/report/content.hpp"
#include "wrapper/report/picture.hpp"

#include <string>
#include <string_view>

namespace hostpin::report {

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

struct LibraryPicture {
  Picture picture;
  std::size_t left_out = 0; ///< groups of files for which the picture has no space; files with problems are
                            ///< in it first
};

/// Files at the left, their intermediate libraries, the libstdc++ at the right. Files that lead to one in the
/// same way share a box, unless another file depends on them.
LibraryPicture library_picture(const ReportLibraries& libraries);

/// The files of page/, each without its first line (the licence), as the build embeds them: see embed.cmake.
extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;

/// The hashes of the last two for the Content-Security-Policy: SHA-256 of their bytes in base64.
extern const std::string_view page_css_hash;
extern const std::string_view page_js_hash;

} // namespace hostpin::report
