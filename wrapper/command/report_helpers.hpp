// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/report/content.hpp"

namespace hostpin {

/// Runs leak-check over the trees, with the binding (that of `options.bound` if one is named), and merges its
/// output with the stored answers in files. An error if there is no usable output.
Result<ReportLeaks> find_leaks(const Context& context, const ReportOptions& options,
                               const Result<Binding>& binding);

/// Runs lto-check on the inputs, for the binding's link driver where there is one, or on the link command.
Result<ReportLto> check_lto(const Context& context, const ReportOptions& options,
                            const Result<Binding>& binding);

} // namespace hostpin
