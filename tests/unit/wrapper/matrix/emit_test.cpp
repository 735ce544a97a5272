// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/emit.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;
using hostpin::matrix::test::sample_description;

namespace {

Plan plan_of(std::size_t toolkits) {
  const Description description = sample_description(1, toolkits, 1, 0);
  Plan plan;
  plan.projects = description.projects;
  for (const Cell& cell : cells_of(description, Cover::all, [](const Coordinates&) { return ""; }))
    plan.cells.push_back({cell, Planned::run, {}, false, ""});
  return plan;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++number;
  return number;
}

} // namespace

TEST_CASE("each engine gets a job for each cell that runs, and none for those that cannot be bound") {
  Plan plan = plan_of(3);
  plan.cells[1].planned = Planned::cannot;
  for (const std::string& engine : engines()) {
    CAPTURE(engine);
    const auto text = emission(engine, plan, {"/bin/hostpin", "a plan", "results"});
    REQUIRE(text);
    CHECK(text->find(plan.cells[0].cell.id) != std::string::npos);
    CHECK(text->find(plan.cells[1].cell.id) == std::string::npos);
    if (engine != "github-outputs" && engine != "gitlab-child" &&
        engine != "cells") // the plan of their pipeline
      CHECK(text->find("a plan") != std::string::npos);
  }
  CHECK(emission("hudson", plan, {}).error().hint.find("buildbot") != std::string::npos);
}

TEST_CASE("make runs a cell again whose result is older than the plan") {
  const std::string text = emission("make", plan_of(1), {"hostpin", "a plan", "the results"}).value();
  CHECK(text.find("\nthe\\ results/p0_12.0_g++-0.json: a\\ plan/plan.json\n\t-$(HOSTPIN_AGAIN)hostpin matrix "
                  "run 'a plan'") != std::string::npos);
}

TEST_CASE("GitHub gets at most 256 jobs, which have all cells") {
  const Plan plan = plan_of(1000);
  std::string text = emission("github", plan, {"hostpin", "plan", "results"}).value();
  text.resize(text.find("  merge:"));
  CHECK(count(text, "          - \"") == 250);
  for (const PlannedCell& cell : plan.cells)
    CHECK(count(text, cell.cell.id + ' ') + count(text, cell.cell.id + '"') == 1);
}

TEST_CASE("pipelines that plan by themselves run only cells whose stored result does not hold") {
  Plan plan = plan_of(3);
  plan.cells[1].planned = Planned::same;
  CHECK(emission("github-outputs", plan, {}).value() ==
        "cells=[\"" + plan.cells[0].cell.id + "\",\"" + plan.cells[2].cell.id + "\"]\ngpu-cells=[]\n");
  const std::string child = emission("gitlab-child", plan, {"hostpin", "plan", "results", "x: y"}).value();
  CHECK(child.find(plan.cells[0].cell.id) != std::string::npos);
  CHECK(child.find(plan.cells[1].cell.id) == std::string::npos);
  CHECK(count(child, "    - \"x: y\"\n") == 2);
  CHECK(child.find("MATRIX_TOKEN") == std::string::npos); // a protected variable, which merge requests lack
  const std::string workflow = pipeline_emission("github", {"a b", "m.toml", "x\ny"}).value();
  CHECK(count(workflow, "- run: \"x\\ny\"\n") == 5);
  CHECK(count(workflow, "'a b' matrix") == 14);
  CHECK(workflow.find('@') == workflow.find("@v4"));
  const std::string names = "echo @PLAN@ @HOSTPIN@ @NAME@ @MERGE@"; // a user's, not those of the form
  CHECK(count(pipeline_emission("github", {"hostpin", "m.toml", names}).value(), "- run: \"" + names + '"') ==
        5);
  CHECK(count(emission("github", plan, {"hostpin", "plan", "results", names}).value(), names) == 2);
  CHECK(pipeline_emission("make", {}).error().hint.find("hostpin matrix plan") != std::string::npos);
}

TEST_CASE("a task of Slurm gets the memory of the project that needs most") {
  const Description description = sample_description(2, 1, 1, 0);
  Plan plan;
  plan.projects = description.projects;
  plan.projects[0].memory = std::uint64_t{3} << 30;
  plan.projects[1].memory = std::uint64_t{2} << 30;
  for (const Cell& cell : cells_of(description, Cover::all, [](const Coordinates&) { return ""; }))
    plan.cells.push_back({cell, Planned::run, {}, false, ""});
  CHECK(emission("slurm", plan, {}).value().find("--mem=3840M\n") != std::string::npos);
  plan.projects[1].memory = 0; // any amount
  CHECK(emission("slurm", plan, {}).value().find("--mem") == std::string::npos);
}

TEST_CASE("cells that need a GPU are jobs for machines that have one") {
  Plan plan = plan_of(1);
  plan.projects[0].needs = {"gpu:9.0"};
  CHECK(emission("slurm", plan, {}).value().find("--gpus=1") != std::string::npos);
  CHECK(emission("gitlab", plan, {}).value().find("tags: [gpu]") != std::string::npos);
  CHECK(emission("github", plan, {}).value().find("needs: [gpu-cells]") != std::string::npos);
}
