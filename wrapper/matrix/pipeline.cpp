// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "wrapper/matrix/comment/posting.hpp"
#include "wrapper/matrix/emit.hpp"
#include "wrapper/matrix/forms.hpp"

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

std::string emit_command(const Pipeline& pipeline, std::string_view engine, const std::string& of) {
  std::vector<std::string> words{pipeline.hostpin, "matrix", "emit", of, "--for", std::string(engine)};
  if (!pipeline.setup.empty())
    words.insert(words.end(), {"--setup", pipeline.setup});
  if (pipeline.hostpin != "hostpin")
    words.insert(words.end(), {"--hostpin", pipeline.hostpin});
  return shell_words(words);
}

/// A command in comment lines of a file.
std::string commented(const std::string& command) {
  std::string text;
  for (const char character : command)
    text += character == '\n' ? "\n#   " : std::string(1, character);
  return text;
}

std::string github_step(const std::string& setup) {
  return setup.empty() ? "" : "- run: " + yaml_text(setup);
}

std::string gitlab_before(const std::string& setup) {
  return setup.empty() ? "" : "before_script:\n  - " + yaml_text(setup);
}

std::string github_cells(bool gpu, const std::string& when, const std::string& list,
                         const TemplateValues& values) {
  return expanded(templates::github_cells_yml,
                  plus(values, {{"NAME", gpu ? "gpu-cells" : "cells"},
                                {"WHEN", when},
                                {"LIST", list},
                                {"RUNNER", gpu ? "[self-hosted, gpu]" : "ubuntu-latest"}}));
}

/// Jobs for cells that need no GPU, and for those that do: on a machine of the project, which runs no code of
/// forks.
std::string planned_cells(const TemplateValues& values) {
  const std::string own = " && (github.event_name != 'pull_request' || "
                          "github.event.pull_request.head.repo.full_name == github.repository)";
  std::string jobs;
  for (const bool gpu : {false, true}) {
    const std::string output = gpu ? "needs.plan.outputs.gpu-cells" : "needs.plan.outputs.cells";
    jobs += github_cells(gpu, "needs: plan\nif: " + output + " != '[]'" + (gpu ? own : ""),
                         " ${{ fromJSON(" + output + ") }}", values);
  }
  return jobs;
}

std::string github(const Pipeline& pipeline) {
  const TemplateValues values =
      plus(pipeline_values(pipeline, "github"),
           {{"PLANNED", "yes"}, {"PLAN", "plan"}, {"RESULTS", "results"}, {"PATH", "results"}});
  return expanded(templates::github_yml, values) + planned_cells(values) +
         expanded(templates::github_merge_yml,
                  plus(values, {{"NEEDS", "plan, cells, gpu-cells"},
                                {"WHEN", "always() && needs.plan.result == 'success'"},
                                {"CPU", "${{ join(fromJSON(needs.plan.outputs.cells), ' ') }}"}})) +
         comment_job(Workflows::github, values);
}

std::string forgejo(const Pipeline& pipeline) {
  const TemplateValues values = pipeline_values(pipeline, "forgejo");
  return expanded(templates::forgejo_yml, values) + comment_job(Workflows::forgejo, values);
}

std::string gitlab(const Pipeline& pipeline) {
  return expanded(templates::gitlab_yml,
                  {{"EMIT", commented(emit_command(pipeline, "gitlab", pipeline.matrix))},
                   {"LINE", pipeline.setup.empty() ? "" : "- " + yaml_text(pipeline.setup)},
                   {"PLAN", yaml_text(shell_words({pipeline.hostpin, "matrix", "plan", pipeline.matrix,
                                                   "--from-results", "before/results", "-o", "plan"}))},
                   {"CHILD", yaml_text(emit_command(pipeline, "gitlab-child", "plan") + " --matrix " +
                                       shell_word(pipeline.matrix) + " >cells.yml")}});
}

std::string gitlab_cells(const ServiceCells& cells, const Jobs& jobs, const std::string& merge,
                         bool is_child) {
  std::string texts;
  for (const auto& [id, gpu] : cells)
    texts += fmt::format("{}:\n  extends: .cell\n  script:\n    - {}\n{}", yaml_text(id),
                         yaml_text(run_command(jobs, id)), gpu ? "  tags: [gpu]\n" : "");
  return expanded(templates::gitlab_jobs_yml, {{"CELLS", texts},
                                               {"PLANNED", is_child ? "yes" : ""},
                                               {"DIFFERENCE", is_child ? ", difference.json" : ""},
                                               {"BEFORE", gitlab_before(jobs.setup)},
                                               {"PATH", yaml_text(jobs.results)},
                                               {"MERGE", merge}});
}

} // namespace

Result<std::string> pipeline_emission(std::string_view engine, const Pipeline& pipeline) {
  if (engine == "github")
    return github(pipeline);
  if (engine == "gitlab")
    return gitlab(pipeline);
  if (engine == "forgejo")
    return forgejo(pipeline);
  if (std::string trusted = trusted_pipeline(engine, pipeline); !trusted.empty())
    return trusted;
  return failure(fmt::format("{} does not plan by itself", engine),
                 "make a plan, and name its directory: hostpin matrix plan MATRIX.toml -o plan");
}

TemplateValues pipeline_values(const Pipeline& pipeline, std::string_view engine) {
  TemplateValues values{{"EMIT", commented(emit_command(pipeline, engine, pipeline.matrix))},
                        {"STEP", github_step(pipeline.setup)},
                        {"BEFORE", gitlab_before(pipeline.setup)},
                        {"HOSTPIN", shell_word(pipeline.hostpin)},
                        {"MATRIX", shell_word(pipeline.matrix)},
                        {"STOP", no_commands},
                        {"QUALITY", engine == "gitlab-child" ? "yes" : ""},
                        {"CONCURRENCY", std::string(templates::concurrency_yml)}};
  values["MERGE"] = expanded(templates::merge_sh, values);
  values["SHOW"] = expanded(templates::show_sh, values);
  values["POST"] = expanded(templates::post_sh, values);
  return values;
}

std::string gitlab_child_pipeline(const ServiceCells& cells, const Pipeline& pipeline) {
  return std::string(templates::gitlab_take_yml) +
         gitlab_cells(cells, {pipeline.hostpin, "plan", "results", pipeline.setup},
                      pipeline_values(pipeline, "gitlab-child").at("MERGE"), true);
}

std::string gitlab_plan_pipeline(const ServiceCells& cells, const Jobs& jobs, const std::string& merge) {
  return "# A job for each cell, and one that merges. Written by: hostpin matrix emit --for gitlab\n"
         "stages: [cells, merge]\n" +
         gitlab_cells(cells, jobs, merge, false);
}

std::string github_plan_workflow(const GithubJobs& cells, const Jobs& jobs, const std::string& merge) {
  const TemplateValues values{{"STEP", github_step(jobs.setup)},
                              {"STOP", no_commands},
                              {"MERGE", merge},
                              {"PLAN", shell_word(jobs.plan)},
                              {"RESULTS", shell_word(jobs.results)},
                              {"PATH", yaml_text(jobs.results)},
                              {"HOSTPIN", shell_word(jobs.hostpin)}};
  std::string text(templates::github_plan_yml), names;
  for (const bool gpu : {false, true}) {
    const std::vector<std::string>& list = gpu ? cells.gpu : cells.cpu;
    if (list.empty())
      continue;
    std::string lines;
    for (const std::string& each : list)
      lines += "\n          - " + yaml_text(each);
    names += std::string(names.empty() ? "" : ", ") + (gpu ? "gpu-cells" : "cells");
    text += github_cells(gpu, "", lines, values);
  }
  return text + expanded(templates::github_merge_yml,
                         plus(values, {{"NEEDS", names},
                                       {"WHEN", "always()"},
                                       {"CPU", fmt::format("{}", fmt::join(cells.cpu, " "))}}));
}

} // namespace hostpin::matrix
