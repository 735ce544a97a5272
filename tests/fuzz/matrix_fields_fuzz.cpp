// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix.toml, a plan and results whose fields were changed, not their bytes. Cells have names of their
// own, a plan that is made or read is emitted for each engine, and results that are read are merged, compared
// and reported.
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/structured.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/comment/comparison.hpp"
#include "wrapper/matrix/emit.hpp"
#include "wrapper/matrix/merge.hpp"

#include <cstdlib>
#include <set>
#include <utility>

using namespace hostpin::matrix;
using hostpin::test::Choices;
using hostpin::test::Node;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

constexpr const char* description_json =
    R"({"name": "n", "axes": {"toolkit": ["12.4", "13.0"], "stdenv": ["g++-13", "clang++-17"], "gpus": ["8.0;9.0"], "c_library": ["/"]},
 "project": {"saxpy": {"source": "src", "configure": "cmake -S $SOURCE", "build": "make", "install": "make install", "test": "ctest",
   "junit": "*/tests.xml", "needs": ["gpu:9.0"], "environment": ["CC"], "lto": true, "memory": "8G", "disk": "500M", "time": 20,
   "size_limit": "10%"},
  "other": {"source": "/d/src", "build": "make", "time": "90s"}},
 "exclude": [{"project": "other", "toolkit": "13.0"}]})";

std::string plan_text() {
  Plan plan;
  plan.name = "n";
  plan.projects = test::sample_description(2, 1, 1, 1).projects;
  plan.projects.front().needs = {"gpu"};
  CellResult failed = test::sample_result("p0", State::failed, "k", "gate"),
             other = test::sample_result("p1", State::passed);
  plan.cells.push_back({failed.cell, Planned::run, {"/cuda", "d", "", ""}, false, ""});
  plan.cells.push_back({other.cell, Planned::cannot, {"", "", "reason", "hint"}, true, ""});
  return plan_json(plan);
}

std::string results_text() {
  CellResult result = test::sample_result("p0", State::passed, "k1");
  result.inputs = {"inputs/" + std::string(64, 'a')};
  result.uncertain = {"because"};
  result.findings = {{"unpinned", "error", "lib/x.so", "0123"}};
  result.tests = {"a.b"};
  result.size = CellSize{1000, 10};
  return '[' + result_json(result) + ',' +
         result_json(test::sample_result("p0", State::failed, "k1", "gate")) + ',' +
         result_json(test::sample_result("p1", State::lost, "k2", "machine")) + ']';
}

Node sample() {
  const CellResult before = test::sample_result("p0", State::passed);
  return hostpin::test::parsed(std::string(R"({"description": )") + description_json + R"(, "plan": )" +
                               plan_text() + R"(, "results": )" + results_text() + R"(, "before": )" +
                               merged_json(merged(nullptr, {before})) + '}');
}

void emit(const Plan& plan) {
  for (const std::string& engine : engines())
    if (const auto text = emission(engine, plan, {"/bin/hostpin", "plan", "results", "make setup"}); !text)
      require(!text.error().message.empty());
}

void use_description(const std::string& text) {
  hostpin::test::FakeFiles files;
  files.file("/d/matrix.toml", text);
  files.file("/d/src/x");
  const auto description = read_description(files, "/d/matrix.toml");
  if (!description) {
    require(!description.error().message.empty());
    return;
  }
  Plan plan;
  plan.name = description->name;
  plan.projects = description->projects;
  for (const Cover cover : {Cover::all, Cover::pairs, Cover::edges}) {
    std::set<std::string> names;
    plan.cells.clear();
    for (const Cell& cell : cells_of(*description, cover, [](const Coordinates& at) { return at[1]; })) {
      require(names.insert(cell.id).second && cell.id.find('/') == std::string::npos);
      plan.cells.push_back({cell, Planned::run, {"/cuda", "d", "", ""}, is_checked(cell.id), ""});
    }
  }
  const std::string written = plan_json(plan);
  const auto again = read_plan(written, "plan.json");
  require(again && plan_json(*again) == written);
  emit(plan);
}

void use_results(const std::optional<Plan>& plan, const std::vector<CellResult>& results,
                 const std::string& before) {
  const Merged all = merged(plan ? &*plan : nullptr, results);
  const std::string text = merged_json(all);
  const auto again = read_merged(text, "matrix.json");
  require(again && merged_json(*again) == text);
  require(!junit_xml(all).empty() && !sarif_json(all, "1").empty() && !summary(all).empty());
  const auto earlier = read_merged(before, "before.json");
  require(!html_page(earlier ? &*earlier : nullptr, all, "1").empty());
  if (!earlier)
    return;
  const std::vector<Change> changes = differences(*earlier, all);
  require(changes.size() <= earlier->cells.size() + all.cells.size());
  const Comparison comparison = comparison_of(changes, 0);
  const std::string difference = difference_json(changes, comparison);
  require(difference_json(changes, read_difference(difference, "x").value()) == difference &&
          !difference_text(comparison).empty());
}

std::string text_of(const Node& root, std::string_view name) {
  const Node* const found = root.find(name);
  return found == nullptr ? "null" : hostpin::test::json_text(*found);
}

} // namespace

std::vector<std::string> seeds() {
  return hostpin::test::random_inputs(16, 20);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices({reinterpret_cast<const char*>(data), size});
  Node root = sample();
  for (int count = 0; count < 6 && !choices.empty(); ++count)
    hostpin::test::change(root, choices);
  if (const Node* const description = root.find("description"))
    use_description(hostpin::test::toml_text(*description));
  std::optional<Plan> plan;
  if (auto read = read_plan(text_of(root, "plan"), "plan.json"))
    emit(plan.emplace(*std::move(read)));
  std::vector<CellResult> results;
  if (const Node* const all = root.find("results"))
    for (const hostpin::test::Member& member : all->members)
      if (auto result = read_result(hostpin::test::json_text(member.node), "result.json"))
        results.push_back(*std::move(result));
  use_results(plan, results, text_of(root, "before"));
  return 0;
}
