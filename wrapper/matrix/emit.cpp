// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/emit.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/matrix/forms.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

/// How often a lost cell runs again: a machine that always fails must not keep the engine busy forever.
constexpr unsigned most_retries = 2;

/// Cells that have to run; the plan knows about the others, and merging counts them.
std::vector<const PlannedCell*> running(const Plan& plan) {
  std::vector<const PlannedCell*> cells;
  for (const PlannedCell& cell : plan.cells)
    if (cell.planned != Planned::cannot)
      cells.push_back(&cell);
  return cells;
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

std::string make_path(std::string_view path) {
  std::string escaped;
  for (const char character : make_text(path))
    escaped += (character == ' ' || character == '#' ? "\\" : "") + std::string(1, character);
  return escaped;
}

std::string makefile(const Plan& plan, const Jobs& jobs) {
  std::string targets, rules;
  for (const PlannedCell* const cell : running(plan)) {
    const std::string target = make_path(jobs.results + '/' + cell->cell.id + ".json");
    targets += " \\\n  " + target;
    // the next cells run also after one that has no result; a result of a failure is one, but not for a newer
    // plan
    rules += fmt::format("{}: {}\n\t-$(HOSTPIN_AGAIN){}\n", target, make_path(jobs.plan + "/plan.json"),
                         make_text(run_command(jobs, cell->cell.id)));
  }
  return expanded(templates::matrix_mk,
                  {{"MERGE", make_text(merge_command(jobs))}, {"TARGETS", targets}, {"RULES", rules}});
}

std::string slurm_script(const Plan& plan, const Jobs& jobs) {
  std::string cases;
  std::size_t count = 0;
  bool gpu = false;
  std::uint64_t memory = 0;
  bool unlimited = false;
  std::chrono::minutes time{0};
  for (const PlannedCell* const cell : running(plan)) {
    cases += fmt::format("{})\n  {} ;;\n", count++, run_command(jobs, cell->cell.id));
    gpu = gpu || needs_gpu(plan, *cell);
    if (const Project* const project = plan.project(cell->cell[Axis::project])) {
      time =
          std::max(time, std::chrono::ceil<std::chrono::minutes>(project->time * 4)); // each of the commands
                                                                                      // may take it
      memory = std::max(memory, project->memory);
      unlimited = unlimited || project->memory == 0;
    }
  }
  return expanded(
      templates::slurm_sh,
      {{"MERGE", merge_command(jobs)},
       {"LAST", std::to_string(count == 0 ? 0 : count - 1)},
       {"MINUTES", std::to_string(time.count())},
       // a quarter more: Slurm also counts files in memory, and hostpin's own limit names the cause
       {"MEMORY", unlimited ? "" : fmt::format("#SBATCH --mem={}M", (memory + memory / 4) >> 20U)},
       {"GPUS", gpu ? "#SBATCH --gpus=1" : ""},
       {"CASES", cases},
       {"RETRIES", std::to_string(most_retries)}});
}

std::string nix_expression(const Plan& plan, const Jobs& jobs) {
  std::string cells;
  for (const PlannedCell* const cell : running(plan))
    cells += nix_string(cell->cell.id) + '\n';
  return expanded(templates::matrix_nix,
                  {{"HOSTPIN", nix_string(jobs.hostpin)}, {"PLAN", nix_string(jobs.plan)}, {"CELLS", cells}});
}

/// The cells of each job of a matrix, separated by spaces. GitHub has at most 256 of them: each job takes
/// several cells, one after the other.
std::vector<std::string> github_matrix(const std::vector<std::string>& ids) {
  constexpr std::size_t most_jobs = 256;
  const std::size_t each = (ids.size() + most_jobs - 1) / most_jobs;
  std::vector<std::string> jobs;
  for (std::size_t index = 0; index < ids.size(); ++index)
    if (index % each == 0)
      jobs.push_back(ids[index]);
    else
      jobs.back() += ' ' + ids[index];
  return jobs;
}

/// Cells without a stored result that holds: merging takes the others from where they are stored.
std::vector<const PlannedCell*> changed(const Plan& plan) {
  auto cells = running(plan);
  std::erase_if(cells, [](const PlannedCell* cell) { return cell->planned == Planned::same; });
  return cells;
}

ServiceCells service_cells(const Plan& plan, const std::vector<const PlannedCell*>& planned) {
  ServiceCells cells;
  for (const PlannedCell* const cell : planned)
    cells.emplace_back(cell->cell.id, needs_gpu(plan, *cell));
  return cells;
}

std::vector<std::string> ids_of(const ServiceCells& cells, bool gpu) {
  std::vector<std::string> ids;
  for (const auto& [id, needs] : cells)
    if (needs == gpu)
      ids.push_back(id);
  return ids;
}

/// For $GITHUB_OUTPUT: a list for the matrix of jobs without a GPU, and one for those with.
std::string github_outputs(const Plan& plan, const Jobs&) {
  const ServiceCells cells = service_cells(plan, changed(plan));
  return fmt::format("cells={}\ngpu-cells={}\n", Json(github_matrix(ids_of(cells, false))).dump(),
                     Json(github_matrix(ids_of(cells, true))).dump());
}

std::string gitlab_child(const Plan& plan, const Jobs& jobs) {
  return gitlab_child_pipeline(service_cells(plan, changed(plan)), {jobs.hostpin, jobs.matrix, jobs.setup});
}

/// Cells to run, a line each.
std::string cell_lines(const Plan& plan, const Jobs&) {
  std::string lines;
  for (const PlannedCell* const cell : changed(plan))
    lines += cell->cell.id + '\n';
  return lines;
}

std::string github_workflow(const Plan& plan, const Jobs& jobs) {
  const ServiceCells cells = service_cells(plan, running(plan));
  return github_plan_workflow({github_matrix(ids_of(cells, false)), github_matrix(ids_of(cells, true))}, jobs,
                              merge_command(jobs));
}

std::string gitlab_pipeline(const Plan& plan, const Jobs& jobs) {
  return gitlab_plan_pipeline(service_cells(plan, running(plan)), jobs, merge_command(jobs));
}

std::string buildbot_configuration(const Plan& plan, const Jobs& jobs) {
  std::string cells;
  for (const PlannedCell* const cell : running(plan))
    cells += fmt::format("({}, {}),\n", yaml_text(cell->cell.id), needs_gpu(plan, *cell) ? "True" : "False");
  return expanded(templates::buildbot_py, {{"CELLS", cells},
                                           {"HOSTPIN", yaml_text(jobs.hostpin)},
                                           {"PLAN", yaml_text(jobs.plan)},
                                           {"RESULTS", yaml_text(jobs.results)},
                                           {"RETRIES", std::to_string(most_retries)},
                                           {"MERGE", yaml_text(merge_command(jobs))}});
}

using Emitter = std::string (*)(const Plan&, const Jobs&);
constexpr std::pair<std::string_view, Emitter> emitters[] = {
    {"make", makefile},
    {"slurm", slurm_script},
    {"nix", nix_expression},
    {"github", github_workflow},
    {"gitlab", gitlab_pipeline},
    {"buildbot", buildbot_configuration},
    {"github-outputs", github_outputs},
    {"gitlab-child", gitlab_child},
    {"cells", cell_lines},
};

} // namespace

std::string run_command(const Jobs& jobs, const std::string& id) {
  return shell_words(
      {jobs.hostpin, "matrix", "run", jobs.plan, "--cell", id, "-o", jobs.results + '/' + id + ".json"});
}

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
