// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/doctor.hpp"

#include "toolchains/table/distribution.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/doctor_verify.hpp"

#include <fmt/format.h>

namespace hostpin {

namespace {

Examination examine(const Prediction& prediction, const Survey& survey, const SurveyInputs& inputs) {
  Examination examination{survey,
                          terms(survey.toolkits.toolkits, survey, inputs),
                          {},
                          prediction,
                          prediction.binding,
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

/// `hostpin bind` with the arguments of this request, so that it makes the same decision.
std::string bind_command(const std::string& program, const Request& request) {
  std::vector<std::string> words = {"bind", "toolchain"};
  const auto add = [&](const char* option, const std::optional<std::string>& value) {
    if (value)
      words.insert(words.end(), {option, *value});
  };
  add("--toolkit", request.toolkit);
  add("--stdenv", request.stdenv);
  add("--host", request.host);
  if (request.allow_unsupported)
    words.emplace_back("--allow-unsupported");
  return program + ' ' + shell_words(words);
}

/// What to do after checking a bound directory: build with it. If a view differs from its toolkit, refreshing
/// it comes first, because builds use it.
std::string next_command(const Examination& examination, const std::string& program, const Request& request) {
  for (const KnownView& view : examination.views)
    if (!view.problem.empty())
      return program + " bind --refresh " + shell_word(view.directory);
  const CallHere& here = examination.prediction.here;
  return here.directory.empty()
             ? bind_command(program, request)
             : shell_words({"cmake", "-B", "build", "-DCMAKE_CUDA_COMPILER=" + here.program});
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
  const auto here = call_here(context, options.request);
  if (!here) {
    report(here.error());
    return exit_broken;
  }
  return with_prediction(context, *here, {}, false,
                         [&](const Prediction& prediction, const Survey& survey, const SurveyInputs& inputs) {
                           Examination examination = examine(prediction, survey, inputs);
                           if (options.suggest)
                             return suggest(examination);
                           if (examination.binding)
                             examination.next = next_command(examination, context.program, options.request);
                           if (options.verify && examination.assessment)
                             examination.proofs = verify(*survey.toolkit, *examination.assessment, context);
                           fmt::print("{}", options.json ? doctor_json(examination)
                                                         : doctor_text(examination, context.terminal));
                           const bool proven_wrong =
                               std::any_of(examination.proofs.begin(), examination.proofs.end(),
                                           [](const Proof& proof) { return !proof.agrees; });
                           if (!examination.binding)
                             return prediction.exit_code;
                           return proven_wrong ? exit_refused : exit_fine;
                         });
}

} // namespace hostpin
