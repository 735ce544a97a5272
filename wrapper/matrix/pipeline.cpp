// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "wrapper/matrix/comment/posting.hpp"
#include "wrapper/matrix/emit.hpp"
#include "wrapper/matrix/forms.hpp"

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
  pull_request:
  schedule:
    - cron: "23 2 * * *"
  workflow_dispatch:
permissions:
  contents: read
@CONCURRENCY@jobs:
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
          @STOP@
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
          @STOP@
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
          @STOP@
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
        run: |
@SHOW@
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: difference
          path: difference.json
          if-no-files-found: ignore
          overwrite: true
      - if: always() && github.event_name != 'pull_request' # whose later runs would find it first
        uses: actions/cache/save@v4
        with:
          path: before
          key: matrix-${{ github.run_id }}-${{ github.run_attempt }}
)";

/// A newer run of a pull request ends the older one, so that not both create a comment. Other runs end none.
constexpr std::string_view one_run = R"(concurrency:
  group: matrix-${{ github.event_name }}-${{ github.event.pull_request.number || github.run_id }}
  cancel-in-progress: true
)";

/// A pipeline whose first job plans, and writes the pipeline with the cells, which runs as its child.
constexpr std::string_view gitlab_planning =
    R"(# Plans the matrix, runs the cells that changed, and compares with the run before.
# Runners need the compilers and toolkits of the matrix, at the same paths, and hostpin. Written by:
#   @EMIT@
stages: [plan, cells]
workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_OPEN_MERGE_REQUESTS && $CI_PIPELINE_SOURCE == "push"
      when: never
    - when: always
plan:
  stage: plan
  cache:
    key: matrix
    paths: [before]
    policy: pull
  rules: &cells
    - if: $MATRIX_COMMENT # the schedule of gitlab-comment
      when: never
    - when: on_success
  script:
@LINE@    - mkdir -p before/results
    - @PLAN@
    - @CHILD@
  artifacts:
    paths: [plan, before, cells.yml]
cells:
  stage: cells
  rules: *cells
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
workflow:
  rules:
    - when: always # also for merge requests
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
    paths: [matrix.json, matrix.html@DIFFERENCE@]
    reports:
      junit: matrix.xml
@QUALITY@)";

constexpr std::string_view gitlab_cache = R"(  cache:
    key: matrix$CI_MERGE_REQUEST_IID # no run reads that of a merge request
    paths: [before]
    policy: push
    when: always
)";

/// Merges, prints what differs from the run before, and has the results where the next run finds them. A pull
/// request is always compared with the branch that it is for.
constexpr std::string_view merging = R"(mkdir -p results before/results
code=0
@HOSTPIN@ matrix merge results --plan plan -o matrix.json --junit matrix.xml --html matrix.html || code=$?
if [ -e before/matrix.json ]; then
  @HOSTPIN@ matrix diff before/matrix.json matrix.json || true
  @HOSTPIN@ report --matrix matrix.json --before before/matrix.json -o matrix.html
  compare() {
    @HOSTPIN@ matrix diff --json --plan plan --matrix @MATRIX@ "$@" before/matrix.json matrix.json >difference.json ||
      [ -s difference.json ]
  }
  commit=$(tr -cd 0-9a-f 2>/dev/null <before/commit) || commit=
  if [ -z "$commit" ] || ! { git cat-file -e "$commit^{commit}" || git fetch -q --depth 1 origin "$commit"; } 2>/dev/null ||
    ! compare --from "$commit"; then # shows the source lines that changed
    compare || rm -f difference.json
  fi
@REPORT@fi
cp -R results/. before/results/
if [ "${GITHUB_EVENT_NAME-}" != pull_request ] && [ -z "${CI_MERGE_REQUEST_IID-}" ]; then
  cp matrix.json before/
  git rev-parse HEAD >before/commit 2>/dev/null || rm -f before/commit
fi
exit "$code")";

/// For the annotations of GitLab.
constexpr std::string_view quality_report =
    "  [ ! -e difference.json ] || @HOSTPIN@ matrix diff --format annotations --service gitlab "
    "difference.json >code-quality.json || true\n";

/// The job's summary, and annotations, which are commands.
constexpr std::string_view showing = R"([ -e difference.json ] || exit 0
@HOSTPIN@ matrix diff --format markdown difference.json >>"${GITHUB_STEP_SUMMARY:-/dev/null}" || true
@HOSTPIN@ matrix diff --format annotations difference.json || true)";

/// Forgejo's: one job plans, runs the cells and merges.
constexpr std::string_view forgejo_planning =
    R"(# Plans the matrix, runs the cells that changed, and compares with the run before. The runner, here with the label
# docker, needs the compilers and toolkits of the matrix, and hostpin. Written by:
#   @EMIT@
name: matrix
on:
  push:
  pull_request:
  schedule:
    - cron: "23 2 * * *"
  workflow_dispatch:
@CONCURRENCY@jobs:
  merge:
    runs-on: docker
    steps:
      - uses: actions/checkout@v4
@STEP@      - uses: actions/cache/restore@v4
        with:
          path: before
          key: matrix-${{ github.run_id }}-${{ github.run_attempt }}
          restore-keys: matrix-
      - run: |
          @STOP@
          mkdir -p before/results
          @HOSTPIN@ matrix plan @MATRIX@ --from-results before/results -o plan
          run() { @HOSTPIN@ matrix run plan --cell "$1" -o results/"$1".json || [ $? = 1 ]; }
          lost=
          for cell in $(@HOSTPIN@ matrix emit plan --for cells); do run "$cell" || lost="$lost $cell"; done
          for cell in $lost; do run "$cell" || true; done
      - run: |
          @STOP@
@MERGE@
      - if: always()
        run: |
@SHOW@
      - if: always()
        uses: https://data.forgejo.org/forgejo/upload-artifact@v4
        with:
          name: difference
          path: difference.json
          if-no-files-found: ignore
      - if: always() && github.event_name != 'pull_request' # whose later runs would find it first
        uses: actions/cache/save@v4
        with:
          path: before
          key: matrix-${{ github.run_id }}-${{ github.run_attempt }}
      - if: always()
        uses: https://data.forgejo.org/forgejo/upload-artifact@v4
        with:
          name: matrix
          path: |
            matrix.json
            matrix.xml
            matrix.html
)";

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
  return setup.empty() ? "" : "      - run: " + yaml_text(setup) + '\n';
}

constexpr const char* github_runner(bool gpu) {
  return gpu ? "[self-hosted, gpu]" : "ubuntu-latest";
}

/// Jobs for cells that need no GPU, and for those that do: on a machine of the project, which runs no code of
/// forks.
std::string planned_cells() {
  std::string jobs;
  for (const bool gpu : {false, true}) {
    const std::string name = gpu ? "gpu-cells" : "cells";
    const char* const own = gpu ? " && (github.event_name != 'pull_request' || "
                                  "github.event.pull_request.head.repo.full_name == github.repository)"
                                : "";
    jobs += with(github_cells,
                 {{"@WHEN@", "    needs: plan\n    if: needs.plan.outputs." + name + " != '[]'" + own + '\n'},
                  {"@LIST@", " ${{ fromJSON(needs.plan.outputs." + name + ") }}"},
                  {"@NAME@", name},
                  {"@RUNNER@", github_runner(gpu)}});
  }
  return jobs;
}

std::string merge_script(std::string_view report, std::size_t spaces) {
  return indented(with(merging, {{"@REPORT@", std::string(report)}}), spaces);
}

std::string github(const Pipeline& pipeline) {
  constexpr std::size_t spaces = 10;
  const std::string merge =
      with(github_merge, {{"@NEEDS@", "plan, cells, gpu-cells"},
                          {"@WHEN@", "always() && needs.plan.result == 'success'"},
                          {"@CPU@", "${{ join(fromJSON(needs.plan.outputs.cells), ' ') }}"},
                          {"@MERGE@", merge_script("", spaces)},
                          {"@SAVE@", with(github_save, {{"@SHOW@", indented(showing, spaces)}})}});
  const std::string form =
      with(std::string(github_planning) + planned_cells() + merge, {{"@TAKE@", std::string(github_take)},
                                                                    {"@CONCURRENCY@", std::string(one_run)},
                                                                    {"@STOP@", std::string(no_commands)},
                                                                    {"@PLAN@", "plan"},
                                                                    {"@RESULTS@", "results"},
                                                                    {"@PATH@", "results"}});
  return with(form + comment_job(Workflows::github), pipeline_values(pipeline, "github"));
}

std::string forgejo(const Pipeline& pipeline) {
  constexpr std::size_t spaces = 10;
  const std::string form = with(forgejo_planning, {{"@CONCURRENCY@", std::string(one_run)},
                                                   {"@STOP@", std::string(no_commands)},
                                                   {"@MERGE@", merge_script("", spaces)},
                                                   {"@SHOW@", indented(showing, spaces)}});
  return with(form + comment_job(Workflows::forgejo), pipeline_values(pipeline, "forgejo"));
}

std::string gitlab(const Pipeline& pipeline) {
  const std::string line = pipeline.setup.empty() ? "" : "    - " + yaml_text(pipeline.setup) + '\n';
  return with(gitlab_planning,
              {{"@EMIT@", commented(emit_command(pipeline, "gitlab", pipeline.matrix))},
               {"@LINE@", line},
               {"@PLAN@", yaml_text(shell_words({pipeline.hostpin, "matrix", "plan", pipeline.matrix,
                                                 "--from-results", "before/results", "-o", "plan"}))},
               {"@CHILD@", yaml_text(emit_command(pipeline, "gitlab-child", "plan") + " --matrix " +
                                     shell_word(pipeline.matrix) + " >cells.yml")}});
}

std::string gitlab_before(const std::string& setup) {
  return setup.empty() ? "" : fmt::format("  before_script:\n    - {}\n", yaml_text(setup));
}

std::string gitlab_cells(const ServiceCells& cells, const Jobs& jobs, const std::string& merge,
                         bool is_child) {
  std::string texts;
  for (const auto& [id, gpu] : cells)
    texts += fmt::format("{}:\n  extends: .cell\n  script:\n    - {}\n{}", yaml_text(id),
                         yaml_text(shell_words({jobs.hostpin, "matrix", "run", jobs.plan, "--cell", id, "-o",
                                                jobs.results + '/' + id + ".json"})),
                         gpu ? "  tags: [gpu]\n" : "");
  return with(gitlab_jobs, {{"@CELLS@", texts},
                            {"@CACHE@", is_child ? std::string(gitlab_cache) : ""},
                            {"@DIFFERENCE@", is_child ? ", difference.json" : ""},
                            {"@QUALITY@", is_child ? "      codequality: code-quality.json\n" : ""},
                            {"@BEFORE@", gitlab_before(jobs.setup)},
                            {"@PATH@", yaml_text(jobs.results)},
                            {"@MERGE@", indented(merge, 6)}});
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

FormValues pipeline_values(const Pipeline& pipeline, std::string_view engine) {
  return {{"@EMIT@", commented(emit_command(pipeline, engine, pipeline.matrix))},
          {"@STEP@", github_step(pipeline.setup)},
          {"@BEFORE@", gitlab_before(pipeline.setup)},
          {"@HOSTPIN@", shell_word(pipeline.hostpin)},
          {"@MATRIX@", shell_word(pipeline.matrix)}};
}

std::string gitlab_child_pipeline(const ServiceCells& cells, const Pipeline& pipeline) {
  const Jobs jobs{pipeline.hostpin, "plan", "results", pipeline.setup};
  const FormValues values = pipeline_values(pipeline, "gitlab-child");
  const std::string merge = with(merging, {{"@REPORT@", std::string(quality_report)}});
  return std::string(gitlab_take) + gitlab_cells(cells, jobs, with(merge, values), true);
}

std::string gitlab_plan_pipeline(const ServiceCells& cells, const Jobs& jobs, const std::string& merge) {
  return "# A job for each cell, and one that merges. Written by: hostpin matrix emit --for gitlab\n"
         "stages: [cells, merge]\n" +
         gitlab_cells(cells, jobs, merge, false);
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
                                                {"@STOP@", std::string(no_commands)},
                                                {"@TAKE@", ""},
                                                {"@MERGE@", indented(merge, 10)},
                                                {"@PLAN@", shell_word(jobs.plan)},
                                                {"@RESULTS@", shell_word(jobs.results)},
                                                {"@PATH@", yaml_text(jobs.results)},
                                                {"@HOSTPIN@", shell_word(jobs.hostpin)}});
}

} // namespace hostpin::matrix
