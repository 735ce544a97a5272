// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/json.hpp"
#include "wrapper/matrix/key.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;
using hostpin::matrix::test::sample_description;

namespace {

Plan sample_plan() {
  const Description description = sample_description(2, 1, 2, 0);
  Plan plan;
  plan.name = "sample";
  plan.projects = description.projects;
  plan.projects[0].needs = {"gpu:9.0"};
  for (const Cell& cell : cells_of(description, Cover::all, [](const Coordinates&) { return ""; }))
    plan.cells.push_back({cell, Planned::run, {"/toolkit", "decision", "", ""}, false, ""});
  plan.cells[1].planned = Planned::cannot;
  plan.cells[1].decided = {"", "", "nothing fits", "install one", "", "", hostpin::ErrorKind::no_fit};
  plan.cells[2].planned = Planned::same;
  plan.cells[2].result = "x.json";
  plan.cells[3].is_check = true;
  return plan;
}

} // namespace

TEST_CASE("a plan is read as it was written") {
  const std::string text = plan_json(sample_plan());
  const auto read = read_plan(text, "plan.json");
  REQUIRE(read);
  CHECK(plan_json(*read) == text);
  CHECK(read->cells[1].decided.kind == hostpin::ErrorKind::no_fit);
  CHECK(read->cell(read->cells[1].cell.id)->planned == Planned::cannot);
  CHECK(read->cell("none") == nullptr);
  CHECK_FALSE(read_plan(text.substr(0, text.size() / 2), "plan.json"));
}

TEST_CASE("numbers of a plan or a result that no type holds are refused, and named") {
  const Json plan = Json::parse(plan_json(sample_plan()));
  const auto read = [&](const std::string& field, const char* number) {
    Json changed = plan;
    (field == "form" ? changed : changed["projects"][0])[field] = Json::parse(number);
    return read_plan(changed.dump(), "plan.json");
  };
  for (const std::string field : {"form", "memory", "disk", "seconds", "size_limit"})
    for (const char* const number : {"1e20", "-1e20", "1.5", "-1", "18446744073709551616", "true", "[]"}) {
      CAPTURE(field);
      CAPTURE(number);
      const auto refused = read(field, number);
      REQUIRE_FALSE(refused);
      CHECK((field == "form" ||
             refused.error().message.find(", not a whole number from ") != std::string::npos));
    }
  CHECK(read("memory", "18446744073709551615"));
  CHECK_FALSE(read("seconds", "2147483648"));
  const auto refused = read("seconds", "0");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("seconds is 0, not a whole number from 1 to 2147483647") !=
        std::string::npos);
  CHECK_FALSE(read("size_limit", "4294967296"));

  CellResult result = test::sample_result("p0", State::passed);
  result.size = CellSize{1000, 10};
  for (const char* const name : {"bytes", "limit"}) {
    Json changed = Json::parse(result_json(result));
    changed["size"][name] = 1e20;
    CHECK_FALSE(read_result(changed.dump(), "result.json"));
  }
}

TEST_CASE("a plan with the id of other axes, which shells would read, is refused") {
  Plan plan = sample_plan();
  for (const char* const id : {"x; touch y", "../x", "x\ny", ""}) {
    plan.cells[0].cell.id = id;
    CHECK_FALSE(read_plan(plan_json(plan), "plan.json"));
  }
}

TEST_CASE("a question differs by each value, command, variable and decision") {
  const Plan plan = sample_plan();
  const std::string asked = question_of(plan.cells[0], plan.projects[0], {{"PATH", "/bin"}});
  CHECK(asked == question_of(plan.cells[0], plan.projects[0], {{"PATH", "/bin"}}));
  CHECK(asked != question_of(plan.cells[0], plan.projects[0], {{"PATH", "/sbin"}}));
  Project project = plan.projects[0];
  project.configure = project.build;
  project.build.clear();
  CHECK(asked != question_of(plan.cells[0], project, {{"PATH", "/bin"}}));
  for (const auto limited : {&Project::memory, &Project::disk}) {
    project = plan.projects[0];
    project.*limited += 1;
    CHECK(asked != question_of(plan.cells[0], project, {{"PATH", "/bin"}}));
  }
  project = plan.projects[0];
  project.time += std::chrono::seconds{1};
  CHECK(asked != question_of(plan.cells[0], project, {{"PATH", "/bin"}}));
  const auto asks = [&](auto change) {
    project = plan.projects[0];
    change(project);
    return asked != question_of(plan.cells[0], project, {{"PATH", "/bin"}});
  };
  CHECK(asks([](Project& each) { each.needs = {"gpu"}; }));
  CHECK(asks([](Project& each) { each.size_limit = 5; }));
  CHECK(asks([](Project& each) { each.junit = "*.xml"; }));
  CHECK(asks([](Project& each) { each.lto = true; }));
  CHECK(asks([](Project& each) { each.environment = {"UNSET"}; }));
  CHECK_FALSE(asks([](Project& each) { each.source = "/elsewhere"; }));
  PlannedCell cell = plan.cells[0];
  cell.decided.text = "another";
  CHECK(asked != question_of(cell, plan.projects[0], {{"PATH", "/bin"}}));
  CHECK(key_of(asked, {"1", "2"}) == key_of(asked, {"2", "1"}));
  CHECK(key_of(asked, {"1", "2"}) != key_of(asked, {"12"}));
}

TEST_CASE("one in twenty cells that cannot be bound is checked") {
  int checked = 0;
  for (int number = 0; number < 2000; ++number)
    checked += is_checked("cell-" + std::to_string(number)) ? 1 : 0;
  CHECK(checked > 60);
  CHECK(checked < 140);
}
