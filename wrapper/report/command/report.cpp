// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/command/report.hpp"

#include "toolchains/base/error_report.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/loader/places.hpp"
#include "toolchains/survey/relation.hpp"
#include "toolchains/survey/target.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/context.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/command/prediction.hpp"
#include "wrapper/report/libraries.hpp"
#include "wrapper/report/page.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

std::string name_of(const Toolkit& toolkit) {
  return "CUDA " + to_string(toolkit.version);
}

/// A toolkit as it would be in use: one for a foreign target with the headers that it has for that; an error
/// if it has none.
Result<Toolkit> as_used(const Toolkit& toolkit, const Survey& survey, const SurveyInputs& inputs) {
  if (!survey.toolkit || !survey.stdenv || !survey.toolkit->target || survey.toolkit->nvcc == toolkit.nvcc)
    return toolkit;
  return for_stdenv(toolkit, survey.stdenv, {}, inputs, survey.stdenv->command.front());
}

/// What each toolkit accepts, including the C libraries of the compilers that fit it, as if it were in use.
std::vector<Terms> terms_of_each(const std::vector<Toolkit>& toolkits,
                                 const std::vector<Result<Toolkit>>& used, const Survey& survey,
                                 const SurveyInputs& inputs) {
  // All gates in one batch; the answers are cached for the single queries that follow.
  terms(toolkits, survey, inputs);
  std::vector<Terms> all;
  Survey as_if = survey;
  for (std::size_t i = 0; i < toolkits.size(); ++i) {
    as_if.toolkit = used[i];
    all.push_back(std::move(terms({used[i] ? &*used[i] : &toolkits[i], 1}, as_if, inputs).front()));
  }
  return all;
}

report::ReportToolkit toolkit_content(const Toolkit& toolkit, const Result<Toolkit>& used,
                                      const Terms& terms) {
  report::ReportToolkit content{name_of(toolkit),
                                toolkit.root,
                                toolkit.origin,
                                documented_text(terms.acceptance),
                                enforced_text(terms.acceptance),
                                notes(toolkit, terms)};
  if (!used)
    content.notes.push_back(used.error().message);
  return content;
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

std::vector<report::ReportCompiler> compilers(const std::vector<Toolkit>& toolkits,
                                              const std::vector<Terms>& terms, const Survey& survey,
                                              const SurveyInputs& inputs,
                                              const Result<bind::Binding>& binding) {
  std::vector<report::ReportCompiler> all;
  const std::vector<Compiler> ordered = in_order(survey);
  const auto related = survey.stdenv ? relations(ordered, *survey.stdenv, inputs.files)
                                     : std::vector<Relation>(ordered.size());
  for (std::size_t c = 0; c < ordered.size(); ++c) {
    const Compiler& compiler = ordered[c];
    report::ReportCompiler& row = all.emplace_back();
    row.name = bind::release_name(compiler);
    if (!related[c].other_target.empty())
      row.name += " for " + related[c].other_target;
    row.driver = shell_words(compiler.command);
    row.origin = compiler.origin;
    row.is_stdenv = survey.stdenv && survey.stdenv->command == compiler.command;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Toolkit& toolkit = toolkits[i];
      const Judgement verdict = judge(compiler, toolkit, terms[i].acceptance, inputs.table);
      const bool chosen = binding && binding->host.compiler.command == compiler.command &&
                          binding->toolkit.nvcc == toolkit.nvcc;
      row.verdicts.push_back({verdict_word(verdict, related[c]),
                              survey.stdenv ? reason_of(verdict, related[c], *survey.stdenv) : verdict.reason,
                              verdict.source, chosen});
    }
  }
  for (const BrokenCompiler& broken : survey.compilers.broken)
    all.push_back({{},
                   shell_words(broken.command),
                   broken.origin,
                   false,
                   std::vector<report::ReportVerdict>(
                       terms.size(), {to_string(Verdict::broken), broken.reason, "its own answer", false})});
  return all;
}

report::ReportBinding::Part part(const Compiler& compiler, const std::string& why) {
  return {bind::release_name(compiler), shell_words(compiler.command), why};
}

report::ReportBinding::Part library_part(const bind::Binding& binding) {
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

/// What happens to flags of a feature; empty where both compilers can be used together.
std::string_view outcome_of(plan::PlanRuntime::Rule rule) {
  using Rule = plan::PlanRuntime::Rule;
  switch (rule) {
  case Rule::refuse:
    return "is refused";
  case Rule::one_compiler:
    return "makes the host compiler link";
  case Rule::drop:
    return "is left out";
  case Rule::cross:
    break;
  }
  return {};
}

report::ReportBinding binding_content(const bind::Binding& binding) {
  report::ReportBinding all;
  all.toolkit = {name_of(binding.toolkit), binding.toolkit.root, "found by " + binding.toolkit.origin};
  if (binding.toolkit.target)
    all.target = {binding.toolkit.target->triple, binding.toolkit.target->directory, runs_programs(binding)};
  all.host = part(binding.host.compiler, binding.host_origin);
  all.stdenv = part(binding.stdenv, "named by " + binding.stdenv.origin);
  // If the families differ, the host compiler's driver links.
  const bool by_stdenv = binding.link.command.front() == binding.stdenv.command.front();
  all.link = {bind::release_name(by_stdenv ? binding.stdenv : binding.host.compiler),
              shell_words(binding.link.command), binding.link.how};
  all.library = library_part(binding);
  all.notes = binding.notes;
  for (const plan::RuntimeRule& rule : binding.plan.runtimes)
    if (const std::string_view outcome = outcome_of(rule.rule); !outcome.empty())
      all.notes.push_back(
          fmt::format("The feature `{}` in .cu files {}: {}.", rule.feature, outcome, rule.reason));
  return all;
}

/// The result of a survey: each compiler judged for each toolkit, as doctor does for the one in use, and the
/// decision. Trees and link-time code are not included.
report::ReportContent report_content(const Survey& survey, const SurveyInputs& inputs,
                                     const Result<bind::Binding>& binding) {
  report::ReportContent content;
  content.version = HOSTPIN_VERSION;
  const std::vector<Toolkit> toolkits = by_release(survey.toolkits.toolkits);
  std::vector<Result<Toolkit>> used;
  for (const Toolkit& toolkit : toolkits)
    used.push_back(as_used(toolkit, survey, inputs));
  const std::vector<Terms> terms = terms_of_each(toolkits, used, survey, inputs);
  content.chosen = toolkits.size();
  for (std::size_t i = 0; i < toolkits.size(); ++i) {
    content.toolkits.push_back(toolkit_content(toolkits[i], used[i], terms[i]));
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

/// Larger answers are not read: 300,000 findings take as much.
constexpr std::size_t answer_limit = std::size_t{512} << 20U;

/// Makes a name that begins with a dash not look like an option.
std::string as_path(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

/// Runs one of the installation's programs, without a time limit. Returns its output, whatever its exit code:
/// the parser decides whether that is an answer.
Result<std::string> answer_of(const Context& context, const std::string& name,
                              std::vector<std::string> arguments) {
  HostProcesses::Limits limits;
  limits.time = std::chrono::hours(24 * 7);
  limits.output = answer_limit;
  limits.strict = true;
  limits.ending = termination_signals();
  Command command;
  command.argv = {context.tree.programs + '/' + name};
  command.errors_as_json = true;
  command.argv.insert(command.argv.end(), std::make_move_iterator(arguments.begin()),
                      std::make_move_iterator(arguments.end()));
  Outcome outcome = HostProcesses(limits).run({&command, 1}).front();
  if (outcome.end == Outcome::End::exited && !outcome.output.empty() && !outcome.truncated)
    return std::move(outcome.output);
  const auto error = reported_error(outcome);
  const std::string text = error ? error->message : outcome.errors; // a crash is reported as text
  const std::string reason = text.substr(0, text.find('\n'));
  return failure(fmt::format("{} printed no result: {}", name,
                             outcome.truncated ? "it found more than fits into a report"
                             : reason.empty()  ? describe(outcome)
                                               : reason),
                 fmt::format("run it by hand to see why: hostpin {}", name));
}

/// Arguments that pass the binding to leak-check; `scratch` holds a binding that is stored nowhere else.
Result<std::vector<std::string>> binding_words(const ReportOptions& options,
                                               const Result<bind::Binding>& binding,
                                               const std::string& scratch, const Files& files) {
  if (options.bound)
    return std::vector<std::string>{"--binding", *options.bound};
  if (!binding)
    return std::vector<std::string>{"--no-binding"};
  if (auto written = replace_file(scratch + "/binding.toml", bind::binding_toml(*binding, files), false);
      !written)
    return tl::unexpected(written.error());
  return std::vector<std::string>{"--binding", scratch};
}

void append(report::ReportLeaks& all, report::ReportLeaks&& more, const std::string& of) {
  all.scanned.push_back(of);
  all.files += more.files;
  all.bytes += more.bytes;
  std::move(more.findings.begin(), more.findings.end(), std::back_inserter(all.findings));
  std::move(more.unseen.begin(), more.unseen.end(), std::back_inserter(all.unseen));
  all.rules.merge(more.rules);
}

/// Runs leak-check over the trees, with the binding (that of `options.bound` if one is named), and merges its
/// output with the stored answers in files. An error if there is no usable output.
Result<report::ReportLeaks> find_leaks(const Context& context, const ReportOptions& options,
                                       const Result<bind::Binding>& binding) {
  report::ReportLeaks all;
  TRY_ASSIGN(const auto scratch, ScratchDirectory::make(context.environment));
  TRY_ASSIGN(const auto judge_by, binding_words(options, binding, scratch.path(), context.files));
  // One at a time: files next to a tree are not part of it.
  for (const std::string& tree : options.trees) {
    std::vector<std::string> words{"--json"};
    words.insert(words.end(), judge_by.begin(), judge_by.end());
    words.push_back(as_path(tree));
    TRY_ASSIGN(const auto json, answer_of(context, "leak-check", std::move(words)));
    auto leaks = report::leaks_answer(json, "leak-check");
    if (!leaks)
      return leaks;
    append(all, *std::move(leaks), tree);
  }
  all.without_binding = !options.trees.empty() && !options.bound && !binding;
  for (const std::string& path : options.answers) {
    TRY_ASSIGN(const auto json, context.files.read(path, answer_limit));
    auto leaks = report::leaks_answer(json, path);
    if (!leaks)
      return leaks;
    append(all, *std::move(leaks), path);
  }
  return all;
}

/// Runs lto-check on the inputs, for the binding's link driver where there is one, or on the link command.
Result<report::ReportLto> check_lto(const Context& context, const ReportOptions& options,
                                    const Result<bind::Binding>& binding) {
  std::vector<std::string> words{"--json"};
  if (!options.link.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), options.link.begin(), options.link.end());
  } else {
    if (binding) {
      words.emplace_back("--linker");
      words.push_back(shell_words(binding->link.command));
    }
    for (const std::string& input : options.lto)
      words.push_back(as_path(input));
  }
  TRY_ASSIGN(const auto json, answer_of(context, "lto-check", std::move(words)));
  auto lto = report::lto_answer(json, "lto-check");
  // Only lto-check knows which files the lists and link commands name.
  if (lto && !lto->missing.empty())
    return failure(fmt::format("there is no {}", lto->missing.front()),
                   options.link.empty() ? "name objects and archives with --lto"
                                        : "name a link command after -- whose inputs exist");
  return lto;
}

int broken(const Error& error) {
  report(error);
  return exit_broken;
}

/// Nothing without glibc's loader, the only one whose search is known.
std::optional<report::ReportLibraries> libraries(const Context& context, const ReportOptions& options,
                                                 const bind::Binding& binding) {
  const loader::LinkTarget target =
      loader::link_target(binding.link.command, "libstdc++.so.6", context.files, context.processes);
  if (target.loader.empty())
    return std::nullopt;
  auto description = loader::describe_loader(target, binding.stdenv.target, context.files, context.processes);
  return report::library_graph(
      options.trees,
      {target.loader,
       description ? loader::loader_places(*std::move(description), context.files) : loader::LoaderPlaces(),
       target.library},
      context.files);
}

int write(const std::string& output, const std::string& page) {
  if (output == "-") {
    fmt::print("{}", page);
    return exit_fine;
  }
  if (const auto written = report::write_report(output, page); !written)
    return broken(written.error());
  fmt::print("{}: open it with a browser\n", output);
  return exit_fine;
}

/// The paths of one kind, the option that names them, and a description.
struct Inputs {
  const std::vector<std::string>& names;
  const char* option;
  const char* hint;
};

/// A misspelt name must not pass as an empty tree, or as a file without link-time code.
std::optional<Error> unfit_name(const Context& context, const ReportOptions& options) {
  const std::array rows = {
      Inputs{options.trees, "--tree", "name an installed tree or a file with --tree"},
      Inputs{options.answers, "--leaks", "name a file with the output of leak-check --json with --leaks"},
      Inputs{options.lto, "--lto", "name objects and archives with --lto"}};
  for (const Inputs& row : rows)
    for (const std::string& name : row.names) {
      if (name.empty())
        return Error{fmt::format("{} has an empty name", row.option), row.hint};
      const bool lists_names = &row.names == &options.lto && name.starts_with('@'); // lto-check reads it
      if (!lists_names && !context.files.status(name))
        return Error{fmt::format("there is no {}", name), row.hint};
    }
  return options.output == "-" ? std::nullopt : report::unfit_for_report(options.output);
}

int make_report(const Context& context, const ReportOptions& options, const Survey& survey,
                const SurveyInputs& inputs, const Result<bind::Binding>& binding) {
  report::ReportContent content = report_content(survey, inputs, binding);
  if (!options.lto.empty() || !options.link.empty()) {
    auto lto = check_lto(context, options, binding);
    if (!lto)
      return broken(lto.error());
    content.lto = *std::move(lto);
  }
  if (!options.trees.empty() || !options.answers.empty()) {
    auto leaks = find_leaks(context, options, binding);
    if (!leaks)
      return broken(leaks.error());
    content.leaks = *std::move(leaks);
  }
  if (!options.trees.empty() && binding)
    content.libraries = libraries(context, options, *binding);
  return write(options.output, report::report_page(content));
}

/// A page of a matrix, made by its program.
int make_matrix_report(const Context& context, const ReportOptions& options) {
  std::vector<std::string> words{"diff", "--html"};
  for (const std::optional<std::string>& file : {options.before, options.matrix}) {
    if (!file)
      continue;
    if (!context.files.status(*file))
      return broken({fmt::format("there is no {}", *file), "name a file that hostpin matrix merge wrote"});
    words.push_back(as_path(*file));
  }
  if (options.output != "-")
    if (const auto wrong = report::unfit_for_report(options.output))
      return broken(*wrong);
  const auto page = answer_of(context, "matrix", std::move(words));
  return page ? write(options.output, *page) : broken(page.error());
}

} // namespace

int run_report(const Context& outer, const ReportOptions& options) {
  if (options.matrix)
    return make_matrix_report(outer, options);
  return run_and_commit(outer, [&](const Context& context) {
    if (const auto wrong = unfit_name(context, options)) // before anything that takes long
      return broken(*wrong);
    if (options.bound)
      if (const auto wrong = conflict_with_bound(options.request, *options.bound))
        return broken(*wrong);
    const auto here = call_here(context, options.request, options.bound);
    if (!here)
      return broken(here.error());
    return with_prediction(
        context, *here, {}, false,
        [&](const Prediction& prediction, const Survey& survey, const SurveyInputs& inputs) {
          ReportOptions shown = options;
          if (here->bound && prediction.binding && !prediction.binding->plan.named)
            shown.bound = here->self.directory;
          return make_report(context, shown, survey, inputs, prediction.binding);
        });
  });
}

} // namespace hostpin::command
