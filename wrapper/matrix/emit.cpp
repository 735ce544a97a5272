// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/emit.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

/// Cells that have to run; the plan knows about the others, and merging counts them.
std::vector<const PlannedCell*> running(const Plan& plan) {
  std::vector<const PlannedCell*> cells;
  for (const PlannedCell& cell : plan.cells)
    if (cell.planned != Planned::cannot)
      cells.push_back(&cell);
  return cells;
}

std::string run_command(const Jobs& jobs, const std::string& id) {
  return shell_words(
      {jobs.hostpin, "matrix", "run", jobs.plan, "--cell", id, "-o", jobs.results + '/' + id + ".json"});
}

std::string merge_command(const Jobs& jobs) {
  return shell_words({jobs.hostpin, "matrix", "merge", jobs.results, "--plan", jobs.plan, "-o", "matrix.json",
                      "--junit", "matrix.xml", "--html", "matrix.html"});
}

bool needs_gpu(const Plan& plan, const PlannedCell& cell) {
  const Project* const project = plan.project(cell.cell[Axis::project]);
  return project != nullptr && !project->needs.empty();
}

/// A dollar sign is two in make.
std::string make_text(std::string_view text) {
  std::string escaped;
  for (const char character : text)
    escaped += character == '$' ? "$$" : std::string(1, character);
  return escaped;
}

std::string makefile(const Plan& plan, const Jobs& jobs) {
  std::string targets, rules;
  for (const PlannedCell* const cell : running(plan)) {
    const std::string target = make_text(jobs.results + '/' + cell->cell.id + ".json");
    targets += " \\\n  " + target;
    // the next cells run also after one that has no result; a result of a failure is one
    rules += fmt::format("{}:\n\t-{}\n", target, make_text(run_command(jobs, cell->cell.id)));
  }
  return fmt::format(
      "# make -j N -f FILE: a target for each cell, and all results merged.\nmatrix.json:{}\n\t{}\n{}"
      ".PHONY: matrix.json\n",
      targets, make_text(merge_command(jobs)), rules);
}

std::string slurm_script(const Plan& plan, const Jobs& jobs) {
  std::string cases;
  std::size_t count = 0;
  bool gpu = false;
  std::string memory;
  std::chrono::minutes time{0};
  for (const PlannedCell* const cell : running(plan)) {
    cases += fmt::format("{})\n  {} ;;\n", count++, run_command(jobs, cell->cell.id));
    gpu = gpu || needs_gpu(plan, *cell);
    if (const Project* const project = plan.project(cell->cell[Axis::project])) {
      time = std::max(time, project->time * 4); // each of the commands may take it
      if (!project->memory.empty())
        memory = project->memory;
    }
  }
  return fmt::format("#!/bin/sh\n# sbatch FILE: a task for each cell. Then: {}\n#SBATCH --job-name=matrix\n"
                     "#SBATCH --array=0-{}\n#SBATCH --time={}\n{}{}#SBATCH --requeue\ncase "
                     "${{SLURM_ARRAY_TASK_ID:?}} in\n{}esac\n",
                     merge_command(jobs), count == 0 ? 0 : count - 1, time.count(),
                     memory.empty() ? "" : "#SBATCH --mem=" + memory + '\n', gpu ? "#SBATCH --gpus=1\n" : "",
                     cases);
}

/// Text in double quotes, as JSON, which YAML, Python and Nix's escapes share but for `${`.
std::string quoted_text(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string nix_text(const std::string& text) {
  std::string escaped;
  for (const char character : quoted_text(text)) {
    if (character == '$')
      escaped += '\\';
    escaped += character;
  }
  return escaped;
}

std::string nix_expression(const Plan& plan, const Jobs& jobs) {
  std::string cells;
  for (const PlannedCell* const cell : running(plan))
    cells += fmt::format("    {}\n", nix_text(cell->cell.id));
  return fmt::format(
      R"(# nix-build FILE: a derivation for each cell; result/ has the results of all, and they merged.
# The builds read the compilers, toolkits and sources of the plan where they are, so they need `--option sandbox false`.
# A cell whose result is lost fails, and is built again by the next call.
{{ path ? "/usr/bin:/bin" }}:
let
  hostpin = {};
  plan = {};
  cells = [
{}  ];
  run = id: derivation {{
    name = builtins.replaceStrings [ "+" ] [ "-" ] ("cell-" + id);
    system = builtins.currentSystem;
    builder = "/bin/sh";
    PATH = path;
    planned = builtins.hashFile "sha256" (plan + "/plan.json");
    args = [ "-e" "-c" ''
      mkdir "$out"
      "${{hostpin}}" matrix run "${{plan}}" --cell "${{id}}" -o "$out/${{id}}.json" --work "$NIX_BUILD_TOP/cell" || [ $? = 1 ]
    '' ];
  }};
in derivation {{
  name = "matrix";
  system = builtins.currentSystem;
  builder = "/bin/sh";
  PATH = path;
  results = map run cells;
  args = [ "-e" "-c" ''
    mkdir "$out" "$out/results"
    for result in $results; do cp -r "$result"/. "$out/results/"; chmod -R u+w "$out/results"; done
    "${{hostpin}}" matrix merge "$out/results" --plan "${{plan}}" -o "$out/matrix.json" || [ $? = 1 ]
  '' ];
}}
)",
      nix_text(jobs.hostpin), nix_text(jobs.plan), cells);
}

/// GitHub has at most 256 jobs in a matrix: each job takes several cells, one after the other.
std::string github_workflow(const Plan& plan, const Jobs& jobs) {
  constexpr std::size_t most_jobs = 256;
  const auto cells = running(plan);
  std::string text =
      R"(# A job for each cell, and one that merges. Written by: hostpin matrix emit --for github
name: matrix
on:
  push:
  workflow_dispatch:
jobs:
)";
  for (const bool gpu : {false, true}) {
    std::vector<std::string> ids;
    for (const PlannedCell* const cell : cells)
      if (needs_gpu(plan, *cell) == gpu)
        ids.push_back(cell->cell.id);
    if (ids.empty())
      continue;
    const std::size_t each = (ids.size() + most_jobs - 1) / most_jobs;
    std::string list;
    for (std::size_t first = 0; first < ids.size(); first += each) {
      std::string words;
      for (std::size_t index = first; index < std::min(first + each, ids.size()); ++index)
        words += (words.empty() ? "" : " ") + ids[index];
      list += "          - " + quoted_text(words) + '\n';
    }
    text += fmt::format(R"(  {}:
    runs-on: {}
    strategy:
      fail-fast: false
      matrix:
        cells:
{}    steps:
      - uses: actions/checkout@v4
      - run: |
          for cell in ${{{{ matrix.cells }}}}; do
            {} matrix run {} --cell "$cell" -o {}/"$cell".json || [ $? = 1 ]
          done
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: results-{}-${{{{ strategy.job-index }}}}
          path: {}
)",
                        gpu ? "gpu-cells" : "cells", gpu ? "[self-hosted, gpu]" : "ubuntu-latest", list,
                        shell_word(jobs.hostpin), shell_word(jobs.plan), shell_word(jobs.results),
                        gpu ? "gpu" : "cpu", quoted_text(jobs.results));
  }
  const bool has_gpu =
      std::ranges::any_of(cells, [&](const PlannedCell* cell) { return needs_gpu(plan, *cell); });
  const bool has_cpu =
      std::ranges::any_of(cells, [&](const PlannedCell* cell) { return !needs_gpu(plan, *cell); });
  return text + fmt::format(R"(  merge:
    needs: [{}{}{}]
    if: always()
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/download-artifact@v4
        with:
          path: {}
          merge-multiple: true
      - run: {}
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: matrix
          path: |
            matrix.json
            matrix.xml
            matrix.html
)",
                            has_cpu ? "cells" : "", has_cpu && has_gpu ? ", " : "",
                            has_gpu ? "gpu-cells" : "", quoted_text(jobs.results),
                            quoted_text(merge_command(jobs)));
}

std::string gitlab_pipeline(const Plan& plan, const Jobs& jobs) {
  std::string text =
      R"(# A job for each cell, and one that merges. Written by: hostpin matrix emit --for gitlab
stages: [cells, merge]
.cell:
  stage: cells
  allow_failure:
    exit_codes: 1
  artifacts:
    when: always
    paths:
)";
  text += "      - " + quoted_text(jobs.results) + '\n';
  for (const PlannedCell* const cell : running(plan)) {
    text += fmt::format("{}:\n  extends: .cell\n  script:\n    - {}\n", quoted_text(cell->cell.id),
                        quoted_text(run_command(jobs, cell->cell.id)));
    if (needs_gpu(plan, *cell))
      text += "  tags: [gpu]\n";
  }
  return text + fmt::format(R"(merge:
  stage: merge
  when: always
  script:
    - {}
  artifacts:
    when: always
    paths: [matrix.json, matrix.html]
    reports:
      junit: matrix.xml
)",
                            quoted_text(merge_command(jobs)));
}

std::string buildbot_configuration(const Plan& plan, const Jobs& jobs) {
  std::string cells;
  for (const PlannedCell* const cell : running(plan))
    cells +=
        fmt::format("    ({}, {}),\n", quoted_text(cell->cell.id), needs_gpu(plan, *cell) ? "True" : "False");
  return fmt::format(
      R"(# A builder for each cell, and one that merges: `from matrix import configure` in master.cfg, then
# `configure(c, workers, gpu_workers)` with names of workers. Written by: hostpin matrix emit --for buildbot
from buildbot.plugins import schedulers, steps, util

CELLS = [
{}]
HOSTPIN, PLAN, RESULTS = {}, {}, {}


def configure(c, workers, gpu_workers=None):
    names = []
    for cell, gpu in CELLS:
        factory = util.BuildFactory()
        factory.addStep(
            steps.ShellCommand(
                name="run",
                command=[HOSTPIN, "matrix", "run", PLAN, "--cell", cell, "-o", RESULTS + "/" + cell + ".json"],
                decodeRC={{0: util.SUCCESS, 1: util.FAILURE, 2: util.EXCEPTION}},
            )
        )
        name = "cell-" + cell
        names.append(name)
        c["builders"].append(
            util.BuilderConfig(name=name, workernames=gpu_workers if gpu and gpu_workers else workers, factory=factory)
        )
    merge = util.BuildFactory()
    merge.addStep(
        steps.ShellCommand(name="merge", command={})
    )
    c["builders"].append(util.BuilderConfig(name="matrix-merge", workernames=workers, factory=merge))
    cells = schedulers.Triggerable(name="matrix-cells", builderNames=names)
    run = util.BuildFactory()
    run.addStep(steps.Trigger(schedulerNames=["matrix-cells"], waitForFinish=True, haltOnFailure=False))
    run.addStep(steps.Trigger(schedulerNames=["matrix-merge"], waitForFinish=True, alwaysRun=True))
    c["builders"].append(util.BuilderConfig(name="matrix", workernames=workers, factory=run))
    c["schedulers"] += [
        cells,
        schedulers.Triggerable(name="matrix-merge", builderNames=["matrix-merge"]),
        schedulers.ForceScheduler(name="matrix-force", builderNames=["matrix"]),
    ]
)",
      cells, quoted_text(jobs.hostpin), quoted_text(jobs.plan), quoted_text(jobs.results),
      quoted_text(merge_command(jobs)));
}

using Emitter = std::string (*)(const Plan&, const Jobs&);
constexpr std::pair<std::string_view, Emitter> emitters[] = {
    {"make", makefile},          {"slurm", slurm_script},     {"nix", nix_expression},
    {"github", github_workflow}, {"gitlab", gitlab_pipeline}, {"buildbot", buildbot_configuration},
};

} // namespace

std::vector<std::string> engines() {
  std::vector<std::string> names;
  for (const auto& [name, emitter] : emitters)
    names.emplace_back(name);
  return names;
}

Result<std::string> emission(std::string_view engine, const Plan& plan, const Jobs& jobs) {
  for (const auto& [name, emitter] : emitters)
    if (name == engine)
      return emitter(plan, jobs);
  return failure(fmt::format("there is no engine {}", engine),
                 fmt::format("engines: {}", fmt::join(engines(), ", ")));
}

} // namespace hostpin::matrix
