// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/report/content.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// The whole page: one file that needs nothing else, says so in its Content-Security-Policy, and is the same
/// for the same content.
std::string report_page(const ReportContent& content);

/// `{{name}}` in the template replaced by its value, once: what a value holds is not looked at again. A name
/// without a value is a fault of ours, and stays.
std::string filled(std::string_view form, const std::map<std::string, std::string, std::less<>>& values);

/// Why a page cannot go to this path, as far as that can be told beforehand.
std::optional<Error> unfit_for_report(const std::string& path);

/// Writes a page: a new file, or one that replaces an earlier report, whole or not at all. Anything else of
/// that name is left alone, with an error. A symlink stays, and the file it leads to is written.
Result<void> write_report(const std::string& path, std::string_view page);

} // namespace hostpin
