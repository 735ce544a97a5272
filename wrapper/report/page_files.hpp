// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace hostpin {

/// The files of page/, each without its first line (the licence), as the build embeds them: see embed.cmake.
extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;

/// The hashes of the last two for the Content-Security-Policy: SHA-256 of their bytes in base64.
extern const std::string_view page_css_hash;
extern const std::string_view page_js_hash;

} // namespace hostpin
