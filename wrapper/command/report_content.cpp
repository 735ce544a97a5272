// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/report_content.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/acceptance_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

namespace {

std::string name_of(const Toolkit& toolkit) {
  return "CUDA " + to_string(toolkit.version);
}

/// What each toolkit accepts, including the C libraries of the compilers that fit it, as if it were in use.
std::vector<Terms> terms_of_each(const std::vector<Toolkit>& toolkits, const Survey& survey,
                                 const SurveyInputs& inputs) {
  // All gates in one batch; the answers are cached for the single queries that follow.
  terms(toolkits, survey, inputs);
  std::vector<Terms> all;
  Survey as_if = survey;
  for (const Toolkit& toolkit : toolkits) {
    as_if.toolkit = toolkit;
    all.push_back(std::move(terms({&toolkit, 1}, as_if, inputs).front()));
  }
  return all;
}

ReportToolkit toolkit_content(const Toolkit& toolkit, const Terms& terms) {
  return {name_of(toolkit),
          toolkit.root,
          toolkit.origin,
          documented_text(terms.acceptance),
          enforced_text(terms.acceptance),
          notes(toolkit, terms)};
}

/// Oldest first: the page does not show precedence, only which one is in use.
std::vector<Toolkit> by_release(std::vector<Toolkit> toolkits) {
  std::stable_sort(toolkits.begin(), toolkits.end(),
                   [](const Toolkit& a, const Toolkit& b) { return a.version < b.version; });
  return toolkits;
}

/// GCC before Clang before others, newest first, as in doctor.
std::vector<Compiler> in_order(const Survey& survey) {
  std::vector<Compiler> all = survey.compilers.compilers;
  std::stable_sort(all.begin(), all.end(), [](const Compiler& a, const Compiler& b) {
    return a.family != b.family ? a.family < b.family : a.version > b.version;
  });
  return all;
}

std::vector<ReportCompiler> compilers(const std::vector<Toolkit>& toolkits, const std::vector<Terms>& terms,
                                      const Survey& survey, const SurveyInputs& inputs,
                                      const Result<Binding>& binding) {
  std::vector<ReportCompiler> all;
  for (const Compiler& compiler : in_order(survey)) {
    ReportCompiler& row = all.emplace_back();
    row.name = release_name(compiler);
    row.driver = shell_words(compiler.command);
    row.origin = compiler.origin;
    row.is_stdenv = survey.stdenv && survey.stdenv->command == compiler.command;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Toolkit& toolkit = toolkits[i];
      const Judgement verdict = judge(compiler, toolkit, terms[i].acceptance, inputs.table);
      const bool chosen = binding && binding->host.compiler.command == compiler.command &&
                          binding->toolkit.nvcc == toolkit.nvcc;
      row.verdicts.push_back({to_string(verdict.verdict), verdict.reason, verdict.source, chosen});
    }
  }
  for (const BrokenCompiler& broken : survey.compilers.broken)
    all.push_back({{},
                   shell_words(broken.command),
                   broken.origin,
                   false,
                   std::vector<ReportVerdict>(
                       terms.size(), {to_string(Verdict::broken), broken.reason, "its own answer", false})});
  return all;
}

ReportBinding::Part part(const Compiler& compiler, const std::string& why) {
  return {release_name(compiler), shell_words(compiler.command), why};
}

ReportBinding::Part library_part(const Binding& binding) {
  const StandardLibrary& library = binding.stdenv.library;
  // The file that a program loads rather than the one that a link reads, which may be a copy or a script.
  const std::string& path = binding.plan.library.empty() ? library.path : binding.plan.library;
  if (path.empty())
    return {};
  std::string why;
  if (!library.glibcxx.empty())
    why = fmt::format("defines up to GLIBCXX_{}, CXXABI_{}", library.glibcxx, library.cxxabi);
  return {std::string(base_name(path)), path, why};
}

ReportBinding binding_content(const Binding& binding) {
  ReportBinding all;
  all.toolkit = {name_of(binding.toolkit), binding.toolkit.root, "found by " + binding.toolkit.origin};
  all.host = part(binding.host.compiler, binding.host_origin);
  all.stdenv = part(binding.stdenv, "named by " + binding.stdenv.origin);
  // If the families differ, the host compiler's driver links.
  const bool by_stdenv = binding.link.command.front() == binding.stdenv.command.front();
  all.link = {release_name(by_stdenv ? binding.stdenv : binding.host.compiler),
              shell_words(binding.link.command), binding.link.how};
  all.library = library_part(binding);
  all.notes = binding.notes;
  for (const RuntimeRule& rule : binding.plan.runtimes)
    if (rule.rule != PlanRuntime::Rule::cross)
      all.notes.push_back(fmt::format("{} {}: {}", to_string(rule.rule), rule.feature, rule.reason));
  return all;
}

} // namespace

ReportContent report_content(const Survey& survey, const SurveyInputs& inputs,
                             const Result<Binding>& binding) {
  ReportContent content;
  content.version = HOSTPIN_VERSION;
  const std::vector<Toolkit> toolkits = by_release(survey.toolkits.toolkits);
  const std::vector<Terms> terms = terms_of_each(toolkits, survey, inputs);
  content.chosen = toolkits.size();
  for (std::size_t i = 0; i < toolkits.size(); ++i) {
    content.toolkits.push_back(toolkit_content(toolkits[i], terms[i]));
    if (survey.toolkit && survey.toolkit->nvcc == toolkits[i].nvcc)
      content.chosen = i;
  }
  for (const ToolkitRejection& rejection : survey.toolkits.rejected)
    content.rejected.push_back({rejection.path, rejection.origin, rejection.reason});
  content.compilers = compilers(toolkits, terms, survey, inputs, binding);
  if (binding) {
    content.decision.binding = binding_content(*binding);
  } else {
    content.decision.error = binding.error().message;
    content.decision.hint = binding.error().hint;
  }
  return content;
}

} // namespace hostpin
