// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/survey/survey.hpp"
#include "wrapper/command/context.hpp"

#include <functional>

namespace hostpin {

/// Loads configuration and tables, completes the request, surveys the machine, and passes it all on. The
/// exit code of `use`, or ours when the configuration or the tables cannot be read (reported).
int with_survey(const Context& context, const Request& request,
                const std::function<int(const Survey&, const SurveyInputs&)>& use);

} // namespace hostpin
