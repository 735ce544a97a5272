// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/report/content.hpp"

namespace hostpin {

/// The result of a survey: each compiler judged for each toolkit, as doctor does for the one in use, and the
/// decision. Trees and link-time code are not included.
ReportContent report_content(const Survey& survey, const SurveyInputs& inputs,
                             const Result<Binding>& binding);

} // namespace hostpin
