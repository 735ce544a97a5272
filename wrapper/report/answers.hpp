// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/report/content.hpp"

#include <string>
#include <string_view>

namespace hostpin {

/// What `leak-check --json` printed. `of`: for messages, a file or a program. An error for anything else.
Result<ReportLeaks> leaks_answer(std::string_view json, const std::string& of);

/// What `lto-check --json` printed.
Result<ReportLto> lto_answer(std::string_view json, const std::string& of);

} // namespace hostpin
