// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/inputs.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/gate/gate.hpp"
#include "toolchains/headers/header_probe.hpp"
#include "wrapper/cxx/runtime_rules.hpp"

#include <string>

#include <fmt/format.h>

namespace hostpin::command {

int with_survey(const Context& context, const Request& request,
                const std::function<int(const Survey&, const SurveyInputs&)>& use) {
  const auto config =
      request.config ? Result<Config>(*request.config) : load_config(context.files, context.environment);
  const auto table = load_table(context.files, context.tree.data);
  if (!config || !table) {
    report(config ? table.error() : config.error());
    return exit_broken;
  }
  if (const auto wrong = cxx::runtime_override_error(config->runtime, config->places)) {
    report(*wrong);
    return exit_broken;
  }
  const std::string cache = cache_of(context).value_or("");
  const ProgramHeaderProbe headers(context.tree.programs + "/stdlib-probe",
                                   cache.empty() ? "" : cache + "/headers", context.files, context.processes);
  const SurveyInputs inputs{context.environment, context.files, context.processes, *config, *table, headers,
                            context.tree.data};
  return use(survey(request.config ? request : completed(request, context.environment, *config), inputs),
             inputs);
}

Request for_decision(Request request) {
  request.one_toolkit = true;
  return request;
}

int code_of_refusal(const Survey& survey) {
  const Request& request = survey.request;
  const bool misconfigured = (!survey.toolkit && !request.toolkit_at.empty()) ||
                             (!survey.stdenv && !request.stdenv_at.empty()) ||
                             (!survey.host && !request.host_at.empty());
  return misconfigured ? exit_broken : exit_refused;
}

std::optional<Error> conflict_with_bound(const Request& request, const std::string& directory) {
  if (directory.empty())
    return Error{"--bound names no directory", "name one that hostpin bind has written"};
  const char* const option = request.toolkit             ? "--toolkit"
                             : request.stdenv            ? "--stdenv"
                             : request.host              ? "--host"
                             : request.allow_unsupported ? "--allow-unsupported"
                                                         : nullptr;
  if (option == nullptr)
    return std::nullopt;
  return Error{std::string(option) + " cannot be combined with --bound: " + directory +
                   " was decided already",
               "leave it out, or decide again: hostpin bind --refresh " + shell_word(directory) + ' ' +
                   option + " ..."};
}

std::string documented_text(const Acceptance& acceptance) {
  if (!acceptance.documented)
    return "documented: not known";
  const DocumentedRange& row = *acceptance.documented;
  return fmt::format("documented: GCC {}, Clang {}", span(Bounds{row.gcc_min, row.gcc_max}),
                     span(Bounds{row.clang_min, row.clang_max}));
}

std::string enforced_text(const Acceptance& acceptance) {
  if (!acceptance.derived)
    return "enforced: not evaluated";
  return fmt::format("enforced: GCC {}, Clang {}", span(*acceptance.derived, Family::gcc),
                     span(*acceptance.derived, Family::clang));
}

std::vector<std::vector<Cell>> run_path_rows(const bind::Binding& binding) {
  std::vector<std::vector<Cell>> rows;
  std::string list = joined(binding.plan.run_path, ":");
  if (!list.empty())
    rows.push_back({{"run path"}, {std::move(list), Tone::plain, true}, {"of what is linked", Tone::quiet}});
  list.clear();
  for (const std::string& directory : binding.plan.driver_directories)
    list += (list.empty() ? "libcuda.so.1 from " : ", then ") + directory;
  if (!list.empty())
    rows.push_back({{"loads"},
                    {std::move(list), Tone::plain, true},
                    {"DT_RPATH of programs, as the toolkit was composed", Tone::quiet}});
  return rows;
}

std::vector<std::vector<Cell>> policy_rows(const bind::Binding& binding) {
  const plan::OwnPlan& plan = binding.plan;
  if (plan.policy.empty())
    return {};
  std::string versions;
  for (const std::string& version : filled_parts(plan.policy_versions, " "))
    if (version.find_last_not_of("0123456789.") == version.find('_')) // those without a number are left out
      versions += (versions.empty() ? "" : ", ") + version;
  return {{{"policy"}, {plan.policy}, {"shared libraries need at most " + versions, Tone::quiet}}};
}

std::vector<std::vector<Cell>> target_rows(const bind::Binding& binding) {
  if (!binding.toolkit.target)
    return {};
  const ToolkitTarget& target = *binding.toolkit.target;
  return {{{"target"},
           {fmt::format("{} ({})", target.triple, target.directory)},
           {binding.emulator.empty() ? "nothing here runs its programs: its files were read"
                                     : fmt::format("its files were read; tests may run its programs with {}",
                                                   shell_words(binding.emulator)),
            Tone::quiet}}};
}

std::string runs_programs(const bind::Binding& binding) {
  return binding.emulator.empty() ? "nothing here runs its programs"
                                  : "programs run under " + shell_words(binding.emulator);
}

} // namespace hostpin::command
