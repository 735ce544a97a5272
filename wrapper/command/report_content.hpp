// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/report/content.hpp"

namespace hostpin {

/// What a survey says: each compiler held against each toolkit, as doctor does for the one in use, and the
/// decision. Nothing of trees and link-time code.
ReportContent report_content(const Survey& survey, const SurveyInputs& inputs,
                             const Result<Binding>& binding);

} // namespace hostpin
