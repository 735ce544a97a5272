// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/doctor.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/program.hpp"
#include "toolchains/table/distribution.hpp"
#include "toolchains/table/platforms.hpp"
#include "toolchains/toolkit/composed.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/plan/plan.hpp"
#include "wrapper/view/view.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

constexpr std::size_t longest_plan = std::size_t{1} << 20;

/// The first link that differs from the view's list.
std::string broken_link(const std::string& directory, const std::vector<view::ViewLink>& links) {
  for (const view::ViewLink& link : links) {
    std::error_code error;
    const std::filesystem::path place = directory + '/' + link.path;
    if (std::filesystem::read_symlink(place, error) != link.target || error)
      return fmt::format("{} is no longer a link to {}", link.path, link.target);
    if (!std::filesystem::exists(place, error))
      return fmt::format("{} is a dangling symlink", link.path);
  }
  return {};
}

/// What was added to or removed from the toolkit since the view was made.
std::string difference(const std::vector<view::ViewLink>& listed, const std::vector<view::ViewLink>& now) {
  for (const auto& [some, others, text] : {std::tuple(&now, &listed, "the toolkit now has {}"),
                                           std::tuple(&listed, &now, "the toolkit no longer has {}")})
    for (const view::ViewLink& link : *some)
      if (std::find(others->begin(), others->end(), link) == others->end())
        return fmt::format(fmt::runtime(text), link.path);
  return {};
}

std::string problem_of(const std::string& directory, std::optional<plan::Plan> plan, const Files& files,
                       const std::vector<Toolkit>& toolkits) {
  if (!plan)
    return "its plan is missing, damaged or from another hostpin release";
  if (const plan::PlanFile* const change = hot::first_new_content(plan->files))
    return fmt::format("{} {}", change->path, hot::change_of(*change));
  const auto links = view::links_of_view(files, directory);
  if (!links)
    return links.error().message;
  if (std::string broken = broken_link(directory, *links); !broken.empty())
    return broken;
  const auto real = [&](std::string_view nvcc) { return files.real_path(directory_of(nvcc)); };
  const auto toolkit = std::find_if(toolkits.begin(), toolkits.end(),
                                    [&](const Toolkit& each) { return real(each.nvcc) == real(plan->nvcc); });
  return toolkit == toolkits.end() ? std::string() : difference(*links, view::view_links(*toolkit, files));
}

KnownView examined(const std::string& directory, const std::string& origin, const Files& files,
                   const std::vector<Toolkit>& toolkits) {
  KnownView view{directory, origin, {}, {}};
  const auto bytes = files.read(fmt::format("{}/{}/plan", directory, view::view_room), longest_plan);
  const auto plan = bytes ? plan::read_plan(*bytes) : std::nullopt;
  if (plan)
    view.toolkit = fmt::format("CUDA {} ({})", plan->toolkit, directory_of(directory_of(plan->nvcc)));
  view.problem = problem_of(directory, plan, files, toolkits);
  return view;
}

/// Each view once, with the first variable that names it.
std::vector<KnownView> known_views(const Environment& environment, const Files& files,
                                   const std::vector<Toolkit>& toolkits) {
  std::vector<KnownView> views;
  const auto add = [&](const std::string& nvcc, const std::string& origin) {
    const std::string room = directory_of(files.real_path(nvcc).value_or(nvcc));
    if (base_name(room) != view::view_room || !files.status(room + "/links"))
      return;
    const std::string directory = directory_of(room);
    if (std::none_of(views.begin(), views.end(),
                     [&](const KnownView& each) { return each.directory == directory; }))
      views.push_back(examined(directory, origin, files, toolkits));
  };
  for (const char* const variable : {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const auto root = environment[variable]; root && root->starts_with('/'))
      add(*root + "/bin/nvcc", std::string("$") + variable);
  for (const char* const variable : {"CUDACXX", "NVCC"})
    if (const auto nvcc = environment[variable]; nvcc && nvcc->starts_with('/'))
      add(*nvcc, std::string("$") + variable);
  for (const std::string& directory : path_directories(environment))
    add(directory + "/nvcc", "PATH");
  return views;
}

// The headers that fail first when a front end is too old for a library, and a kernel so that both halves are
// compiled.
constexpr const char* source = R"(#include <algorithm>
#include <cstdio>
#include <cmath>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
std::optional<std::string> first(const std::vector<std::string>& v) {
  if (v.empty()) return std::nullopt;
  return *std::min_element(v.begin(), v.end());
}
#endif
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  std::vector<float> v(3, std::sqrt(2.0f));
  std::sort(v.begin(), v.end());
  saxpy<<<1, 1>>>(0, 1.0f, nullptr, nullptr);
  std::printf("%zu\n", v.size());
}
)";

/// A driver that is followed by arguments cannot be given to -ccbin directly.
std::string launcher(const Compiler& compiler, const std::string& directory, std::size_t number) {
  if (compiler.command.size() == 1)
    return compiler.command.front();
  const std::string path = fmt::format("{}/host-{}", directory, number);
  const std::string script = fmt::format("#!/bin/sh\nexec {} \"$@\"\n", shell_words(compiler.command));
  return replace_file(path, script, true) ? path : compiler.command.front();
}

std::string first_error(const Outcome& outcome) {
  const std::string all = outcome.errors + outcome.output;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string line = all.substr(at, end - at);
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos)
      return line;
    at = end + 1;
  }
  return describe(outcome);
}

/// Compiles one small .cu file with the toolkit's own nvcc and every judged compiler of the stdenv's machine,
/// several at a time, in a private temporary directory that is removed afterwards. Empty, with a note on
/// stderr, if no directory could be created.
std::vector<Proof> verify(const Toolkit& toolkit, const Compiler& stdenv, const Assessment& assessment,
                          const Context& context) {
  const auto scratch = ScratchDirectory::make(context.environment);
  if (!scratch) {
    report_note(fmt::format("nothing was verified: {}; {}", scratch.error().message, scratch.error().hint));
    return {};
  }
  const std::string& directory = scratch->path();
  const std::string file = "/saxpy.cu";
  if (const auto written = replace_file(directory + file, source, false); !written) {
    report_note(fmt::format("nothing was verified: {}", written.error().message));
    return {};
  }
  std::vector<Command> commands;
  std::vector<std::size_t> tried; // the candidate of each
  for (std::size_t i = 0; i < assessment.judged.size(); ++i) {
    const Compiler& compiler = assessment.judged[i].compiler;
    if (architecture_of(compiler.target) != architecture_of(stdenv.target))
      continue; // nvcc would take another target's headers
    Command command{{toolkit.nvcc, "-ccbin", launcher(compiler, directory, i), "-c", directory + file, "-o",
                     fmt::format("{}/{}.o", directory, i)},
                    {},
                    {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}};
    if (toolkit.target && !toolkit.target->name.empty())
      command.argv.insert(command.argv.end(), {"-target-dir", toolkit.target->name});
    tried.push_back(i);
    command.own_temporary = true; // a terminated nvcc leaves its temporary files
    commands.push_back(std::move(command));
  }
  report_note(fmt::format("compiling with {} candidates; this takes a few seconds each", commands.size()));
  HostProcesses::Limits limits;
  limits.time = std::chrono::minutes(2);
  limits.ending = termination_signals();
  const std::vector<Outcome> outcomes = HostProcesses(limits).run(commands);
  std::vector<Proof> proofs;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Proof proof{tried[i], outcomes[i].ok(), false, {}};
    proof.agrees = proof.compiled == (assessment.judged[proof.candidate].verdict == Verdict::fits);
    if (!proof.compiled)
      proof.first_error = first_error(outcomes[i]);
    proofs.push_back(std::move(proof));
  }
  return proofs;
}

/// What a composed toolkit was made from; empty for another one.
std::string composition_of(const std::string& root) {
  const auto composed = composed_toolkit(root, DiskFiles());
  if (!composed)
    return composed.error().message;
  return *composed ? (*composed)->description : std::string();
}

Examination examine(const Prediction& prediction, const Survey& survey, const SurveyInputs& inputs) {
  Examination examination{survey,
                          terms(survey.toolkits.toolkits, survey, inputs),
                          {},
                          prediction,
                          prediction.binding,
                          {},
                          {},
                          known_views(inputs.environment, inputs.files, survey.toolkits.toolkits),
                          {},
                          {},
                          {},
                          {}};
  for (const Toolkit& toolkit : survey.toolkits.toolkits)
    examination.composed.push_back(composition_of(toolkit.root));
  if (!survey.toolkit || !survey.stdenv)
    return examination;
  const Terms& chosen = *examination.terms_of(*survey.toolkit);
  examination.assessment = assess(*survey.toolkit, *survey.stdenv, chosen, survey, inputs);
  std::vector<Compiler> judged;
  for (const Judgement& judgement : examination.assessment->judged)
    judged.push_back(judgement.compiler);
  examination.relations = relations(judged, *survey.stdenv, inputs.files);
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
  add("--target", request.target);
  add("--sysroot", request.sysroot);
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
  if (here.directory.empty())
    return bind_command(program, request);
  return bind::cmake_command(here.self.directory);
}

/// Compares the calls of build directories among the named files with their bindings. Returns the exit code
/// of that; an error is reported.
int add_gpu_calls(Examination& examination, const Context& context, const DoctorOptions& options) {
  int code = exit_fine;
  for (const std::string& directory : options.files) {
    auto calls = gpu_calls(context, directory);
    if (!calls) {
      report(calls.error());
      code = exit_broken;
      continue;
    }
    for (GpuCalls& each : *calls) {
      code = std::max(code, each.is_violated() ? exit_refused : exit_fine);
      examination.gpu_calls.push_back(std::move(each));
    }
  }
  return code;
}

/// The GPUs that code in the files is for: those named, else those of the binding that compiled it.
std::optional<std::string> listed_gpus(const Examination& examination, const DoctorOptions& options) {
  if (options.capabilities || examination.gpu_calls.empty())
    return options.capabilities;
  return examination.gpu_calls.front().capabilities;
}

/// What the GPUs find in the files of `options`: a program of another component compares them.
Outcome served(const Context& context, const DoctorOptions& options,
               const std::optional<std::string>& capabilities, const std::optional<Version>& toolkit) {
  const std::string program = context.tree.programs + "/fatbin";
  Command command{{program, "served"}, {}, {}};
  command.time = std::chrono::hours(24); // hours of large files are no failure
  std::vector<std::string>& words = command.argv;
  if (options.json)
    words.emplace_back("--json");
  if (context.terminal.has_colours())
    words.emplace_back("--colours");
  words.insert(words.end(), {"--width", std::to_string(context.terminal.width())});
  if (capabilities)
    words.insert(words.end(), {"--capabilities", *capabilities});
  if (toolkit)
    words.insert(words.end(), {"--release", to_string(*toolkit)});
  words.emplace_back("--");
  words.insert(words.end(), options.files.begin(), options.files.end());
  return std::move(context.processes.run({&command, 1}).front());
}

/// Adds what is known of the files' device code to `examination`, and returns the exit code of that; what
/// could not be read is in `errors`.
int add_files(Examination& examination, const Context& context, const DoctorOptions& options,
              std::string& errors) {
  if (options.files.empty())
    return exit_fine;
  const auto& toolkit = examination.survey.toolkit;
  Outcome outcome = served(context, options, listed_gpus(examination, options),
                           toolkit ? std::optional(toolkit->version) : std::nullopt);
  if (outcome.end == Outcome::End::not_started && outcome.code == ENOENT)
    report(options::absent_component("hostpin doctor FILE", "devicecode"));
  else if (outcome.end != Outcome::End::exited || outcome.truncated)
    report(
        {"the device code of the files is not known: " + describe(outcome), "hostpin fatbin FILE shows it"});
  else
    errors = std::move(outcome.errors);
  if (!outcome.output.empty())
    examination.device_code = std::move(outcome.output);
  return outcome.end == Outcome::End::exited && !outcome.truncated ? outcome.code : exit_broken;
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
  auto here = call_here(context, options.request, options.bound);
  if (!here) {
    report(here.error());
    return exit_broken;
  }
  here->request.own_cxx = here->self.directory + "/c++";
  return with_prediction(
      context, *here, {}, false,
      [&](const Prediction& prediction, const Survey& survey, const SurveyInputs& inputs) {
        Examination examination = examine(prediction, survey, inputs);
        if (options.suggest)
          return suggest(examination);
        if (examination.binding)
          examination.next = next_command(examination, context.program, options.request);
        if (options.verify && examination.assessment)
          examination.proofs = verify(*survey.toolkit, *survey.stdenv, *examination.assessment, context);
        std::string errors;
        const int code_of_calls = add_gpu_calls(examination, context, options);
        const int code_of_files = add_files(examination, context, options, errors);
        if (code_of_files != exit_broken || examination.device_code || !examination.gpu_calls.empty())
          fmt::print("{}",
                     options.json ? doctor_json(examination) : doctor_text(examination, context.terminal));
        if (!errors.empty()) { // after the text about them
          std::fflush(stdout);
          print_error(errors);
        }
        if (code_of_files == exit_broken || code_of_calls == exit_broken)
          return exit_broken;
        const bool proven_wrong = std::any_of(examination.proofs.begin(), examination.proofs.end(),
                                              [](const Proof& proof) { return !proof.agrees; });
        const int code =
            std::max({examination.binding ? exit_fine : prediction.exit_code, code_of_files, code_of_calls});
        return proven_wrong ? std::max(code, exit_refused) : code;
      });
}

} // namespace hostpin::command
