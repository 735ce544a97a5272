// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "toolchains/judge/judge.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/command/context.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// Loads configuration, unless the request has one, and tables, completes the request, surveys the machine,
/// and passes all of it to `use`. The exit code of `use`, or the command's own if the configuration or the
/// tables cannot be read (reported).
int with_survey(const Context& context, const Request& request,
                const std::function<int(const Survey&, const SurveyInputs&)>& use);

/// The same request, for a decision: toolkits that it does not use are not run.
Request for_decision(Request request);

/// The exit code of a decision that could not be made: a configuration error's if something it names does not
/// exist, else a refusal's.
int code_of_refusal(const Survey& survey);

/// The error if `--bound DIR` is combined with these names, which the directory determines already. Nothing
/// if there are none, and DIR is not empty.
std::optional<Error> conflict_with_bound(const Request& request, const std::string& directory);

/// `documented GCC 6-13, Clang 7-17`, or that nothing is documented.
std::string documented_text(const Acceptance& acceptance);

/// `enforced GCC up to 13, Clang 3.3-17`, as the toolkit's own header has it, or that it was not evaluated.
std::string enforced_text(const Acceptance& acceptance);

/// Rows: what links add to run paths, and where programs search for the NVIDIA driver. None if links do not.
std::vector<std::vector<Cell>> run_path_rows(const bind::Binding& binding);

/// One row: the manylinux policy of links, with its versions. None without one.
std::vector<std::vector<Cell>> policy_rows(const bind::Binding& binding);

/// The machine that a binding's programs are for, if it is not this one, and what runs them here; empty
/// otherwise.
std::vector<std::vector<Cell>> target_rows(const bind::Binding& binding);

/// What runs programs of a binding's foreign target here, as text.
std::string runs_programs(const bind::Binding& binding);

} // namespace hostpin::command
