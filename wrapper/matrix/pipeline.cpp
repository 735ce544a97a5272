// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "wrapper/matrix/emit.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

constexpr std::string_view github_plan =
    R"(# A job for each cell, and one that merges. Written by: hostpin matrix emit --for github
name: matrix
on:
  push:
  workflow_dispatch:
jobs:
)";

/// A workflow whose first job plans. Its cells become a matrix of jobs by the outputs of that job; the
/// results of earlier runs are in a cache. Each run has its own entry, as entries of caches are never
/// changed.
constexpr std::string_view github_planning =
    R"(# Plans the matrix, runs the cells that changed, and compares with the run before.
# Runners need the compilers and toolkits of the matrix, at the same paths, and hostpin. Written by:
#   @EMIT@
name: matrix
on:
  push:
  schedule:
    - cron: "23 2 * * *"
  workflow_dispatch:
jobs:
  plan:
    runs-on: ubuntu-latest
    outputs:
      cells: ${{ steps.plan.outputs.cells }}
      gpu-cells: ${{ steps.plan.outputs.gpu-cells }}
    steps:
      - uses: actions/checkout@v4
@STEP@      - uses: actions/cache/restore@v4
        with:
          path: before
          key: matrix-${{ github.run_id }}-${{ github.run_attempt }}
          restore-keys: matrix-
      - id: plan
        run: |
          mkdir -p before/results
          @HOSTPIN@ matrix plan @MATRIX@ --from-results before/results -o plan
          @HOSTPIN@ matrix emit plan --for github-outputs >>"$GITHUB_OUTPUT"
      - uses: actions/upload-artifact@v4
        with:
          name: plan
          path: |
            plan
            before
          overwrite: true
)";

/// The jobs that run cells. @LIST@: the cells of each of them; @TAKE@: the step that fetches the plan.
constexpr std::string_view github_cells = R"(  @NAME@:
@WHEN@    runs-on: @RUNNER@
    continue-on-error: true # merge judges: a cell of a lost runner has no result
    strategy:
      fail-fast: false
      matrix:
        cells:@LIST@
    steps:
      - uses: actions/checkout@v4
@STEP@@TAKE@      - run: |
          run() { @HOSTPIN@ matrix run @PLAN@ --cell "$1" -o @RESULTS@/"$1".json || [ $? = 1 ]; }
          lost=
          for cell in ${{ matrix.cells }}; do run "$cell" || lost="$lost $cell"; done
          for cell in $lost; do run "$cell" || true; done
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: results-@NAME@-${{ strategy.job-index }}
          path: @PATH@
          overwrite: true
)";

/// @CPU@: cells that need no GPU; @SAVE@: the step that stores the results for the next run.
constexpr std::string_view github_merge = R"(  merge:
    needs: [@NEEDS@]
    if: @WHEN@
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
@STEP@@TAKE@      - uses: actions/download-artifact@v4
        with:
          path: @PATH@
          pattern: results-*
          merge-multiple: true
      - run: |
          left=20 # lost cells run again here, at most 20: if more are lost, the machines are not the reason
          for cell in @CPU@; do
            if [ ! -e @RESULTS@/"$cell".json ] && [ $((left -= 1)) -ge 0 ]; then
              @HOSTPIN@ matrix run @PLAN@ --cell "$cell" -o @RESULTS@/"$cell".json || true
            fi
          done
@MERGE@
@SAVE@      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: matrix
          path: |
            matrix.json
            matrix.xml
            matrix.html
          overwrite: true
)";

constexpr std::string_view github_take = R"(      - uses: actions/download-artifact@v4
        with:
          name: plan
)";

constexpr std::string_view github_save = R"(      - if: always()
        uses: actions/cache/save@v4
        with:
          path: before
          key: matrix-${{ github.run_id }}-${{ github.run_attempt }}
)";

/// A pipeline whose first job plans, and writes the pipeline with the cells, which runs as its child.
constexpr std::string_view gitlab_planning =
    R"(# Plans the matrix, runs the cells that changed, and compares with the run before.
# Runners need the compilers and toolkits of the matrix, at the same paths, and hostpin. Written by:
#   @EMIT@
stages: [plan, cells]
plan:
  stage: plan
  cache:
    key: matrix
    paths: [before]
    policy: pull
  script:
@LINE@    - mkdir -p before/results
    - @PLAN@
    - @CHILD@
  artifacts:
    paths: [plan, before, cells.yml]
cells:
  stage: cells
  trigger:
    include:
      - artifact: cells.yml
        job: plan
    strategy: depend
  variables:
    PARENT_PIPELINE: $CI_PIPELINE_ID
)";

/// A job of the child takes the plan from the parent, and so do all jobs in the stages after its own.
constexpr std::string_view gitlab_take = R"(stages: [take, cells, merge]
take:
  stage: take
  needs:
    - pipeline: $PARENT_PIPELINE
      job: plan
  script:
    - test -e plan/plan.json
  artifacts:
    paths: [plan, before]
)";

/// @CACHE@: where the next run finds the results.
constexpr std::string_view gitlab_jobs = R"(.cell:
  stage: cells
@BEFORE@  allow_failure:
    exit_codes: 1
  retry: # what was lost
    max: 2
    exit_codes: [2, 137, 143]
    when: [runner_system_failure, stuck_or_timeout_failure, scheduler_failure, api_failure, unknown_failure]
  artifacts:
    when: always
    paths: [@PATH@]
@CELLS@merge:
  stage: merge
  when: always
@CACHE@@BEFORE@  script:
    - |
@MERGE@
  artifacts:
    when: always
    paths: [matrix.json, matrix.html]
    reports:
      junit: matrix.xml
)";

constexpr std::string_view gitlab_cache = R"(  cache:
    key: matrix
    paths: [before]
    policy: push
    when: always
)";

/// Merges, prints what differs from the run before, and has the results where the next run finds them.
constexpr std::string_view merging = R"(mkdir -p results before/results
code=0
@HOSTPIN@ matrix merge results --plan plan -o matrix.json --junit matrix.xml --html matrix.html || code=$?
if [ -e before/matrix.json ]; then
  @HOSTPIN@ matrix diff before/matrix.json matrix.json || true
  @HOSTPIN@ report --matrix matrix.json --before before/matrix.json -o matrix.html
fi
cp -R results/. before/results/
cp matrix.json before/
exit "$code")";

/// `@NAME@` in a form replaced by its value, in which nothing is replaced: that may be a user's text.
std::string with(std::string_view form, const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string text;
  while (!form.empty()) {
    const auto named = std::find_if(values.begin(), values.end(),
                                    [form](const auto& each) { return form.starts_with(each.first); });
    text += named == values.end() ? std::string(1, form.front()) : named->second;
    form.remove_prefix(named == values.end() ? 1 : named->first.size());
  }
  return text;
}

std::string indented(std::string_view text, std::size_t spaces) {
  std::string all(spaces, ' ');
  for (const char character : text) {
    all += character;
    if (character == '\n')
      all.append(spaces, ' ');
  }
  return all;
}

/// Text in double quotes, as JSON, which is YAML.
std::string yaml_text(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string emit_command(const Pipeline& pipeline, const char* engine, const std::string& of) {
  std::vector<std::string> words{pipeline.hostpin, "matrix", "emit", of, "--for", engine};
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
  return setup.empty() ? "" : "      - run: " + yaml_text(setup) + '\n';
}

constexpr const char* github_runner(bool gpu) {
  return gpu ? "[self-hosted, gpu]" : "ubuntu-latest";
}

std::string github(const Pipeline& pipeline) {
  std::string jobs;
  for (const bool gpu : {false, true}) {
    const std::string name = gpu ? "gpu-cells" : "cells";
    jobs +=
        with(github_cells, {{"@WHEN@", "    needs: plan\n    if: needs.plan.outputs." + name + " != '[]'\n"},
                            {"@LIST@", " ${{ fromJSON(needs.plan.outputs." + name + ") }}"},
                            {"@NAME@", name},
                            {"@RUNNER@", github_runner(gpu)}});
  }
  jobs += with(github_merge, {{"@NEEDS@", "plan, cells, gpu-cells"},
                              {"@WHEN@", "always() && needs.plan.result == 'success'"},
                              {"@CPU@", "${{ join(fromJSON(needs.plan.outputs.cells), ' ') }}"},
                              {"@MERGE@", indented(merging, 10)},
                              {"@SAVE@", std::string(github_save)}});
  return with(std::string(github_planning) + jobs,
              {{"@EMIT@", commented(emit_command(pipeline, "github", pipeline.matrix))},
               {"@TAKE@", std::string(github_take)},
               {"@PLAN@", "plan"},
               {"@RESULTS@", "results"},
               {"@PATH@", "results"},
               {"@STEP@", github_step(pipeline.setup)},
               {"@HOSTPIN@", shell_word(pipeline.hostpin)},
               {"@MATRIX@", shell_word(pipeline.matrix)}});
}

std::string gitlab(const Pipeline& pipeline) {
  const std::string line = pipeline.setup.empty() ? "" : "    - " + yaml_text(pipeline.setup) + '\n';
  return with(gitlab_planning,
              {{"@EMIT@", commented(emit_command(pipeline, "gitlab", pipeline.matrix))},
               {"@LINE@", line},
               {"@PLAN@", yaml_text(shell_words({pipeline.hostpin, "matrix", "plan", pipeline.matrix,
                                                 "--from-results", "before/results", "-o", "plan"}))},
               {"@CHILD@", yaml_text(emit_command(pipeline, "gitlab-child", "plan") + " >cells.yml")}});
}

std::string gitlab_cells(const ServiceCells& cells, const Jobs& jobs, const std::string& merge,
                         std::string_view cache) {
  std::string texts;
  for (const auto& [id, gpu] : cells)
    texts += fmt::format("{}:\n  extends: .cell\n  script:\n    - {}\n{}", yaml_text(id),
                         yaml_text(shell_words({jobs.hostpin, "matrix", "run", jobs.plan, "--cell", id, "-o",
                                                jobs.results + '/' + id + ".json"})),
                         gpu ? "  tags: [gpu]\n" : "");
  const std::string before =
      jobs.setup.empty() ? "" : fmt::format("  before_script:\n    - {}\n", yaml_text(jobs.setup));
  return with(gitlab_jobs, {{"@CELLS@", texts},
                            {"@CACHE@", std::string(cache)},
                            {"@BEFORE@", before},
                            {"@PATH@", yaml_text(jobs.results)},
                            {"@MERGE@", indented(merge, 6)}});
}

} // namespace

Result<std::string> pipeline_emission(std::string_view engine, const Pipeline& pipeline) {
  if (engine == "github")
    return github(pipeline);
  if (engine == "gitlab")
    return gitlab(pipeline);
  return failure(fmt::format("{} does not plan by itself", engine),
                 "make a plan, and name its directory: hostpin matrix plan MATRIX.toml -o plan");
}

std::string gitlab_child_pipeline(const ServiceCells& cells, const Pipeline& pipeline) {
  const Jobs jobs{pipeline.hostpin, "plan", "results", pipeline.setup};
  return std::string(gitlab_take) + gitlab_cells(cells, jobs,
                                                 with(merging, {{"@HOSTPIN@", shell_word(pipeline.hostpin)}}),
                                                 gitlab_cache);
}

std::string gitlab_plan_pipeline(const ServiceCells& cells, const Jobs& jobs, const std::string& merge) {
  return "# A job for each cell, and one that merges. Written by: hostpin matrix emit --for gitlab\n"
         "stages: [cells, merge]\n" +
         gitlab_cells(cells, jobs, merge, "");
}

std::string github_plan_workflow(const GithubJobs& cells, const Jobs& jobs, const std::string& merge) {
  std::string text, names;
  for (const bool gpu : {false, true}) {
    const std::vector<std::string>& list = gpu ? cells.gpu : cells.cpu;
    if (list.empty())
      continue;
    std::string lines;
    for (const std::string& each : list)
      lines += "\n          - " + yaml_text(each);
    const std::string name = gpu ? "gpu-cells" : "cells";
    names += (names.empty() ? "" : ", ") + name;
    text += with(github_cells,
                 {{"@NAME@", name}, {"@WHEN@", ""}, {"@LIST@", lines}, {"@RUNNER@", github_runner(gpu)}});
  }
  text += with(github_merge, {{"@NEEDS@", names},
                              {"@WHEN@", "always()"},
                              {"@CPU@", fmt::format("{}", fmt::join(cells.cpu, " "))},
                              {"@SAVE@", ""}});
  return with(std::string(github_plan) + text, {{"@STEP@", github_step(jobs.setup)},
                                                {"@TAKE@", ""},
                                                {"@MERGE@", indented(merge, 10)},
                                                {"@PLAN@", shell_word(jobs.plan)},
                                                {"@RESULTS@", shell_word(jobs.results)},
                                                {"@PATH@", yaml_text(jobs.results)},
                                                {"@HOSTPIN@", shell_word(jobs.hostpin)}});
}

} // namespace hostpin::matrix
