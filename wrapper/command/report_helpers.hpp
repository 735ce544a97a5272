// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/report/content.hpp"

namespace hostpin {

/// Runs leak-check over the trees, judging by the binding (that of `options.bound` where one is named), and
/// puts what it says with the answers that lie in files. An error when it says nothing that could be shown.
Result<ReportLeaks> find_leaks(const Context& context, const ReportOptions& options,
                               const Result<Binding>& binding);

/// Runs lto-check on the inputs, for the binding's link driver where there is one, or on the link command.
Result<ReportLto> check_lto(const Context& context, const ReportOptions& options,
                            const Result<Binding>& binding);

} // namespace hostpin
