// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/plan.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/error_code.hpp"
#include "toolchains/base/json_number.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <array>

namespace hostpin::matrix {

namespace {

constexpr std::array<std::string_view, 3> planned_names{"run", "cannot", "same"};
constexpr std::size_t largest_plan = std::size_t{256} << 20;

Json project_json(const Project& project) {
  return {{"name", project.name},
          {"source", project.source},
          {"configure", project.configure},
          {"build", project.build},
          {"install", project.install},
          {"test", project.test},
          {"junit", project.junit},
          {"needs", project.needs},
          {"lto", project.lto},
          {"memory", project.memory},
          {"disk", project.disk},
          {"seconds", project.time.count()},
          {"size_limit", project.size_limit ? Json(*project.size_limit) : Json()},
          {"environment", project.environment}};
}

Project project_of(const Json& json) {
  Project project;
  json.at("name").get_to(project.name);
  json.at("source").get_to(project.source);
  json.at("configure").get_to(project.configure);
  json.at("build").get_to(project.build);
  json.at("install").get_to(project.install);
  json.at("test").get_to(project.test);
  project.junit = json.value("junit", "");
  json.at("needs").get_to(project.needs);
  json.at("lto").get_to(project.lto);
  project.memory = number_of<std::uint64_t>(json.at("memory"), "memory");
  project.disk = number_of<std::uint64_t>(json.at("disk"), "disk");
  project.time = std::chrono::seconds(number_of<int>(json.at("seconds"), "seconds", 1));
  if (const Json& limit = json.at("size_limit"); !limit.is_null())
    project.size_limit = number_of<unsigned>(limit, "size_limit");
  json.at("environment").get_to(project.environment);
  return project;
}

Json cell_json(const PlannedCell& cell) {
  Json json{{"id", cell.cell.id}, {"axes", json_of(cell.cell.at)}, {"planned", to_string(cell.planned)}};
  if (cell.decided.text.empty()) {
    json["reason"] = cell.decided.reason;
    json["hint"] = cell.decided.hint;
    if (cell.decided.kind != ErrorKind::other)
      json["kind"] = code_of(cell.decided.kind);
  }
  if (cell.is_check)
    json["check"] = true;
  if (!cell.decided.toolkit.empty())
    json["toolkit"] = cell.decided.toolkit;
  if (!cell.decided.text.empty())
    json["decision"] = cell.decided.text;
  if (!cell.result.empty())
    json["result"] = cell.result;
  if (!cell.why.empty())
    json["why"] = cell.why;
  if (!cell.outdated.empty())
    json["outdated"] = cell.outdated;
  return json;
}

PlannedCell planned_cell_of(const Json& json) {
  PlannedCell cell;
  cell.cell = cell_of(json, "id");
  const auto planned = std::ranges::find(planned_names, json.at("planned").get<std::string>());
  if (planned == planned_names.end())
    json.at("planned").get<int>(); // throws what the caller reports
  cell.planned = static_cast<Planned>(planned - planned_names.begin());
  cell.decided = {json.value("toolkit", ""), json.value("decision", ""), json.value("reason", ""),
                  json.value("hint", "")};
  cell.decided.kind = kind_of_code(json.value("kind", ""));
  cell.is_check = json.value("check", false);
  cell.result = json.value("result", "");
  cell.why = json.value("why", "");
  cell.outdated = json.value("outdated", std::vector<std::string>{});
  return cell;
}

} // namespace

std::string_view to_string(Planned planned) {
  return planned_names[static_cast<std::size_t>(planned)];
}

bool is_checked(std::string_view id) {
  return std::stoul(sha256_of(id).substr(0, 4), nullptr, 16) % checked_one_in == 0;
}

const PlannedCell* Plan::cell(std::string_view id) const {
  const auto found = std::ranges::find_if(cells, [&](const PlannedCell& each) { return each.cell.id == id; });
  return found == cells.end() ? nullptr : &*found;
}

const Project* Plan::project(std::string_view wanted) const {
  const auto found = std::ranges::find(projects, wanted, &Project::name);
  return found == projects.end() ? nullptr : &*found;
}

std::string project_text(const Project& project) {
  Json json = project_json(project);
  json.erase("source");
  return json_text(json);
}

std::string plan_json(const Plan& plan) {
  Json json{{"kind", "plan"},          {"form", json_form},         {"name", plan.name},
            {"results", plan.results}, {"projects", Json::array()}, {"cells", Json::array()}};
  for (const Project& project : plan.projects)
    json["projects"].push_back(project_json(project));
  for (const PlannedCell& cell : plan.cells)
    json["cells"].push_back(cell_json(cell));
  return json_text(json);
}

Result<Plan> read_plan(std::string_view text, const std::string& of) {
  return read_json<Plan>(text, "plan", of, [](const Json& json) {
    Plan plan;
    json.at("name").get_to(plan.name);
    json.at("results").get_to(plan.results);
    for (const Json& project : json.at("projects"))
      plan.projects.push_back(project_of(project));
    for (const Json& cell : json.at("cells"))
      plan.cells.push_back(planned_cell_of(cell));
    return plan;
  });
}

Result<Plan> load_plan(const Files& files, const std::string& directory) {
  const std::string path = directory + "/plan.json";
  const auto text = files.read(path, largest_plan);
  if (!text)
    return failure(text.error().message,
                   "make a plan first: hostpin matrix plan matrix.toml -o " + directory);
  return read_plan(*text, path);
}

} // namespace hostpin::matrix
