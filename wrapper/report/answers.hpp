// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/report/content.hpp"

#include <string>
#include <string_view>

namespace hostpin {

/// The output of `leak-check --json`. `of`: for messages, a file or a program. An error for anything else.
Result<ReportLeaks> leaks_answer(std::string_view json, const std::string& of);

/// The output of `lto-check --json`.
Result<ReportLto> lto_answer(std::string_view json, const std::string& of);

} // namespace hostpin
