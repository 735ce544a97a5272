// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/planning.hpp"

#include "wrapper/matrix/inputs.hpp"
#include "wrapper/matrix/key.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

/// Whether lists of inputs have the same state now. Each list and each path is looked up once.
class Comparison {
public:
  explicit Comparison(const Files& files) : files_(files) {}

  /// `directory`: with the lists of inputs.
  bool is_same(const Project& project, const std::string& directory, const std::vector<std::string>& lists) {
    return std::ranges::all_of(lists,
                               [&](const std::string& list) { return holds(project, directory, list); });
  }

private:
  bool holds(const Project& project, const std::string& directory, const std::string& list) {
    const auto [known, is_new] = known_.try_emplace({project.source, list});
    if (!is_new)
      return known->second;
    const std::string path = directory + '/' + list;
    const auto text = files_.read(path, largest_file);
    const auto inputs =
        text ? read_inputs(*text, path) : Result<std::vector<Input>>(tl::unexpected(text.error()));
    if (!inputs)
      return known->second = false;
    auto& states =
        states_.try_emplace(project.source, std::vector<Place>{{source_name, project.source}}).first->second;
    return known->second = std::ranges::all_of(*inputs, [&](const Input& input) {
             return states.of(input.path, input.access) == input.state;
           });
  }

  const Files& files_;
  std::map<std::string, InputStates> states_;
  std::map<std::pair<std::string, std::string>, bool> known_;
};

std::string inputs_next_to(const std::string& result) {
  return (fs::path(result).parent_path() / "inputs").string();
}

} // namespace

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

Results load_results(const Files& files, const std::string& directory) {
  Results loaded;
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".json" && entry->path().filename() != "plan.json")
      paths.push_back(entry->path().string());
  if (error)
    loaded.damaged.push_back({fmt::format("cannot list {}: {}", directory, error.message()), {}});
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    const auto text = files.read(path, largest_file);
    auto result = text ? read_result(*text, path) : Result<CellResult>(tl::unexpected(text.error()));
    if (result)
      loaded.results.emplace_back(path.substr(directory.size() + 1), *std::move(result));
    else
      loaded.damaged.push_back(result.error());
  }
  return loaded;
}

Plan make_plan(const Description& description, Cover cover, const std::string& results, Decisions& decisions,
               const Environment& environment, const Files& files, std::vector<std::string>& notes) {
  Plan plan;
  plan.name = description.name;
  plan.projects = description.projects;
  const auto text_of = [&](const Coordinates& at) {
    const Decided& decided = decisions.of(at);
    return decided.text.empty() ? "none" : decided.text;
  };
  for (Cell& cell : cells_of(description, cover, text_of)) {
    PlannedCell planned{std::move(cell), Planned::run, {}, false, {}};
    planned.decided = decisions.of(planned.cell.at);
    planned.is_check = planned.decided.text.empty() && is_checked(planned.cell.id);
    if (planned.decided.text.empty() && !planned.is_check)
      planned.planned = Planned::cannot;
    plan.cells.push_back(std::move(planned));
  }
  if (results.empty())
    return plan;
  std::error_code error;
  plan.results = fs::absolute(results, error).string();
  if (plan.results.size() > 1 && plan.results.ends_with('/'))
    plan.results.pop_back();
  const Results stored = load_results(files, plan.results);
  for (const Error& each : stored.damaged)
    notes.push_back(each.message);
  std::multimap<std::string, const std::pair<std::string, CellResult>*> by_cell;
  for (const auto& each : stored.results)
    by_cell.emplace(each.second.cell.id, &each);
  Comparison comparison(files);
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> variables;
  for (const Project& project : plan.projects)
    variables[project.name] = asked_variables(project, environment);
  for (PlannedCell& cell : plan.cells) {
    const Project& project = *plan.project(cell.cell[Axis::project]);
    const std::string question = question_of(cell, project, variables[project.name]);
    std::set<State> states;
    const std::pair<std::string, CellResult>* same = nullptr;
    const auto [first, last] = by_cell.equal_range(cell.cell.id);
    for (auto each = first; each != last && cell.planned == Planned::run; ++each) {
      const CellResult& result = each->second->second;
      if (result.question != question || (result.state != State::passed && result.state != State::failed) ||
          !comparison.is_same(project, inputs_next_to(plan.results + '/' + each->second->first),
                              result.inputs))
        continue;
      states.insert(result.state);
      same = each->second;
    }
    if (states.size() == 1) { // one that passed and failed is to be run again
      cell.planned = Planned::same;
      cell.result = same->first;
    }
  }
  return plan;
}

} // namespace hostpin::matrix
