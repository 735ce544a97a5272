// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/doctor.hpp"

#include "toolchains/table/distribution.hpp"
#include "wrapper/bind/resolve.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/doctor_verify.hpp"
#include "wrapper/command/inputs.hpp"

#include <fmt/format.h>

namespace hostpin {

namespace {

Examination examine(const Survey& survey, const SurveyInputs& inputs) {
  // All gates are asked first, in one round; what resolving asks again is remembered by then.
  Examination examination{survey,
                          terms(survey.toolkits.toolkits, survey, inputs),
                          {},
                          resolve(survey, inputs),
                          {},
                          {},
                          known_views(inputs.environment, inputs.files, survey.toolkits.toolkits),
                          {}};
  if (!survey.toolkit || !survey.stdenv)
    return examination;
  const Terms& chosen = *examination.terms_of(*survey.toolkit);
  examination.assessment = assess(*survey.toolkit, *survey.stdenv, chosen, survey, inputs);
  const Family family = inputs.config.family.value_or(survey.stdenv->family);
  const std::vector<int> majors =
      fitting_majors(family, *survey.stdenv, *survey.toolkit, chosen.acceptance, inputs.table);
  examination.suggested = suggested_drivers(family, majors);
  return examination;
}

/// `hostpin bind` with what was asked for here, so that it decides the same.
std::string bind_command(const Request& request) {
  std::vector<std::string> words = {"hostpin", "bind", "toolchain"};
  const auto add = [&](const char* option, const std::optional<std::string>& value) {
    if (value)
      words.insert(words.end(), {option, *value});
  };
  add("--toolkit", request.toolkit);
  add("--stdenv", request.stdenv);
  add("--host", request.host);
  if (request.allow_unsupported)
    words.emplace_back("--allow-unsupported");
  return shell_words(words);
}

/// For the first view that is not as its toolkit is: builds go through it.
std::optional<std::string> refresh_command(const Examination& examination) {
  for (const KnownView& view : examination.views)
    if (!view.problem.empty())
      return shell_words({"hostpin", "bind", "--refresh", view.directory});
  return std::nullopt;
}

int suggest(const Examination& examination) {
  for (const auto* const error : {examination.survey.toolkit ? nullptr : &examination.survey.toolkit.error(),
                                  examination.survey.stdenv ? nullptr : &examination.survey.stdenv.error()})
    if (error != nullptr) {
      report(*error);
      return exit_refused;
    }
  for (const std::string& driver : examination.suggested)
    fmt::print("{}\n", driver);
  return exit_fine;
}

} // namespace

const Terms* Examination::terms_of(const Toolkit& toolkit) const {
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (survey.toolkits.toolkits[i].nvcc == toolkit.nvcc)
      return &terms[i];
  return nullptr;
}

int run_doctor(const Context& context, const DoctorOptions& options) {
  return with_survey(context, options.request, [&](const Survey& survey, const SurveyInputs& inputs) {
    Examination examination = examine(survey, inputs);
    if (options.suggest)
      return suggest(examination);
    if (examination.binding)
      examination.next = refresh_command(examination).value_or(bind_command(options.request));
    if (options.verify && examination.assessment)
      examination.proofs = verify(*survey.toolkit, *examination.assessment, context);
    fmt::print("{}", options.json ? doctor_json(examination) : doctor_text(examination, context.terminal));
    const bool proven_wrong = std::any_of(examination.proofs.begin(), examination.proofs.end(),
                                          [](const Proof& proof) { return !proof.agrees; });
    return examination.binding && !proven_wrong ? exit_fine : exit_refused;
  });
}

} // namespace hostpin
