// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/planning.hpp"

#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/key.hpp"
#include "wrapper/matrix/stored.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

/// Why a cell runs, for people.
std::string reason_of(const Holding& holding, const Project& project, const PlanTerms& terms) {
  switch (holding.none) {
  case Holding::None::no_result:
    return "there is no result";
  case Holding::None::other_question:
    return "values, commands, variables or compilers differ";
  case Holding::None::noise:
    return "it failed and passed";
  case Holding::None::differs:
    break;
  }
  if (terms.changed.empty())
    return holding.differing.front().path +
           (holding.differing.front().access == 0 ? " is damaged or missing" : " differs");
  // what the two revisions explain; the rest differs for another reason, such as the machine
  const std::string place = place_in_repository(project.source);
  for (const Input& input : holding.differing) {
    const std::string in_tree = place.empty() ? "" : path_in_tree(input.path, place);
    if (in_tree.empty())
      continue;
    const auto seen = std::ranges::find_if(
        terms.changed, [&](const TreeChange& change) { return can_see(input, in_tree, change); });
    if (seen != terms.changed.end())
      return seen->path + " changed";
  }
  return holding.differing.front().path + " differs, but not by this change";
}

} // namespace

std::string place_in_repository(const std::string& source) {
  const std::string top = repository_above(source);
  return top.empty() ? "" : fs::path(source).lexically_relative(top).generic_string();
}

Result<Repository> repository_of(const std::vector<Project>& projects) {
  Result<Repository> repository = failure("there are no projects");
  for (const Project& project : projects) {
    repository = Repository::of(project.source);
    if (repository)
      break;
  }
  return repository;
}

Result<std::vector<Project>> projects_at(std::vector<Project> projects, const Repository& repository,
                                         const std::string& commit, const std::string& directory) {
  TRY(repository.check_out(commit, directory));
  std::error_code error;
  const std::string tree = fs::canonical(directory, error).string();
  for (Project& project : projects) {
    const fs::path real = fs::canonical(project.source, error);
    const std::string inside = error ? ".." : real.lexically_relative(repository.top()).generic_string();
    if (inside == "..")
      continue;
    if (!inside.starts_with("../"))
      project.source = (fs::path(tree) / inside).lexically_normal().string();
    if (project.source.ends_with('/'))
      project.source.pop_back();
  }
  return projects;
}

std::vector<std::pair<std::string, std::string>> asked_variables(const Project& project,
                                                                 const Environment& environment) {
  std::vector<std::pair<std::string, std::string>> variables;
  const auto inherit = [&](const std::string& name) {
    if (const auto value = environment[name])
      variables.emplace_back(name, *value);
  };
  inherit("PATH");
  for (const std::string& name : project.environment)
    inherit(name);
  return variables;
}

Plan make_plan(const Description& description, const PlanTerms& terms, Decisions& decisions,
               const Environment& environment, const Files& files, std::vector<std::string>& notes) {
  Plan plan;
  plan.name = description.name;
  plan.projects = description.projects;
  const auto decided_of = [&](const Coordinates& at) {
    return decisions.of(at, *description.project(at[static_cast<std::size_t>(Axis::project)]));
  };
  const auto host_of = [&](const Coordinates& at) {
    const Decided decided = decided_of(at);
    return decided.text.empty() ? "none" : decided.host;
  };
  for (Cell& cell : cells_of(description, terms.cover, host_of)) {
    PlannedCell planned{std::move(cell), Planned::run, {}, false, {}, {}};
    planned.decided = decided_of(planned.cell.at);
    const bool is_refused = planned.decided.text.empty() && planned.decided.kind != ErrorKind::no_answer;
    planned.is_check = is_refused && is_checked(planned.cell.id);
    if (is_refused && !planned.is_check)
      planned.planned = Planned::cannot;
    plan.cells.push_back(std::move(planned));
  }
  if (terms.results.empty())
    return plan;
  std::error_code error;
  plan.results = fs::absolute(terms.results, error).string();
  if (plan.results.size() > 1 && plan.results.ends_with('/'))
    plan.results.pop_back();
  StoredResults stored(files);
  stored.load(plan.results, notes);
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> variables;
  for (const Project& project : plan.projects)
    variables[project.name] = asked_variables(project, environment);
  for (PlannedCell& cell : plan.cells) {
    if (cell.planned != Planned::run)
      continue;
    const Project& project = *plan.project(cell.cell[Axis::project]);
    Holding holding =
        stored.holding(cell.cell.id, project, question_of(cell, project, variables[project.name]));
    cell.outdated = std::move(holding.outdated);
    if (holding.result != nullptr) {
      cell.planned = Planned::same;
      cell.result = holding.result->path;
    } else {
      cell.why = reason_of(holding, project, terms);
    }
  }
  return plan;
}

} // namespace hostpin::matrix
