// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/report/content.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::report {

/// The whole page: one file without external resources, enforced by its Content-Security-Policy, and the same
/// for the same content.
std::string report_page(const ReportContent& content);

/// `{{name}}` in the template replaced by its value, in one pass: values are not expanded. A name without a
/// value is a bug, and stays.
std::string filled(std::string_view form, const std::map<std::string, std::string, std::less<>>& values);

/// Why a page cannot be written to this path, as far as that can be checked beforehand.
std::optional<Error> unfit_for_report(const std::string& path);

/// Writes a page: a new file, or in place of an earlier report, whole or not at all. Any other existing
/// file is left unchanged, with an error. A symlink stays, and the file it leads to is written.
Result<void> write_report(const std::string& path, std::string_view page);

} // namespace hostpin::report
