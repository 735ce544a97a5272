// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/comment/comparison.hpp"
#include "wrapper/matrix/merge.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;
using hostpin::matrix::test::sample_result;

namespace {

State merged_state(std::vector<CellResult> results) {
  const std::string text = merged_json(merged(nullptr, results));
  std::ranges::reverse(results);
  CHECK(merged_json(merged(nullptr, results)) == text); // whoever wrote first
  return merged(nullptr, results).cells.front().state;
}

std::string changes(const std::vector<CellResult>& before, const std::vector<CellResult>& now) {
  const Merged one = merged(nullptr, before), other = merged(nullptr, now);
  std::string text;
  for (const Change& change : differences(one, other))
    text += std::string(to_string(change.kind)) + ' ';
  return text;
}

} // namespace

TEST_CASE("of several results of a cell a lost one does not count, and one key with two outcomes is noise") {
  const CellResult passed = sample_result("a", State::passed),
                   failed = sample_result("a", State::failed, "k", "test"),
                   lost = sample_result("a", State::lost, "k", "killed");
  CHECK(merged_state({passed, lost}) == State::passed);
  CHECK(merged_state({lost}) == State::lost);
  CHECK(merged_state({passed, failed}) == State::noise);
  CHECK(merged_state({sample_result("a", State::passed, "1"),
                      sample_result("a", State::failed, "2", "test")}) == State::failed);
}

TEST_CASE("cells of a plan without a result are missing, or cannot be bound") {
  Plan plan;
  plan.cells.push_back(
      {sample_result("a", State::passed).cell, Planned::run, {"/t", "d", "", ""}, false, ""});
  plan.cells.push_back({sample_result("b", State::passed).cell,
                        Planned::cannot,
                        {"", "", "no host compiler fits CUDA 12.4", "x"},
                        false,
                        ""});
  plan.cells.back().decided.kind = ErrorKind::no_fit;
  const Merged all = merged(&plan, {sample_result("z", State::passed)});
  REQUIRE(all.cells.size() == 2);
  CHECK(all.cells[0].state == State::missing);
  CHECK(all.cells[1].state == State::cannot);
  CHECK(all.cells[1].cause.kind == "gate");
  CHECK(summary(all) == "1 cannot (gate 1), 1 missing");
}

TEST_CASE("a result from before a change does not count for a cell that has not run since") {
  Plan plan;
  plan.cells.push_back(
      {sample_result("a", State::passed).cell, Planned::run, {"/t", "d", "", ""}, false, ""});
  plan.cells.front().outdated = {"old"};
  const Plan read = read_plan(plan_json(plan), "plan.json").value();
  const CellResult before = sample_result("a", State::passed, "old");
  CHECK(merged(&read, {before}).cells.front().state == State::missing);
  CHECK(merged(&read, {before, sample_result("a", State::lost, "", "killed")}).cells.front().state ==
        State::lost);
  CHECK(merged(&read, {before, sample_result("a", State::failed, "new", "test")}).cells.front().state ==
        State::failed);
}

TEST_CASE("a run that passes does not hide a stored failure that holds") {
  Plan plan;
  plan.results = "/stored";
  plan.cells.push_back(
      {sample_result("a", State::passed).cell, Planned::run, {"/t", "d", "", ""}, false, ""});
  plan.cells.front().outdated = {"old"};
  Results stored;
  stored.results = {{"1.json", sample_result("a", State::failed, "few inputs", "test")},
                    {"2.json", sample_result("a", State::cannot, "", "gate")}};
  std::vector<CellResult> results{sample_result("a", State::passed, "all inputs")};
  add_stored(plan, stored, results);
  CHECK(results.size() == 2);
  CHECK(merged(&plan, results).cells.front().state == State::noise);
  stored.results.front().second.key = "old";
  results.resize(1);
  add_stored(plan, stored, results);
  CHECK(merged(&plan, results).cells.front().state == State::passed);
  CHECK(merged_state({sample_result("a", State::passed, "2"),
                      sample_result("a", State::failed, "1", "test")}) == State::failed);
}

TEST_CASE("cells that exceed a limit are broken by that limit") {
  for (const char* const kind : {"time", "memory-limit", "disk-limit"}) {
    const Merged before = merged(nullptr, {sample_result("a", State::passed, "earlier")}),
                 now = merged(nullptr, {sample_result("a", State::failed, "k", kind)});
    CHECK(difference_text(comparison_of(differences(before, now), 0))
              .starts_with("broken (" + std::string(kind) + "): 1 cell\n"));
  }
}

TEST_CASE("differences tell what is broken, fixed, new, gone, open and noise apart") {
  const CellResult good = sample_result("a", State::passed, "before"),
                   bad = sample_result("a", State::failed, "k", "test");
  CHECK(changes({good}, {good}).empty());
  CHECK(changes({good}, {bad}) == "broken ");
  CHECK(changes({bad}, {good}) == "fixed ");
  CHECK(changes({good}, {sample_result("a", State::lost, "k", "disk")}) == "undecided ");
  CHECK(changes({good}, {sample_result("a", State::noise, "k", "test")}) == "noise ");
  CHECK(changes({sample_result("a", State::passed)}, {bad}) == "noise "); // nothing that it reads has changed
  CHECK(changes({bad}, {sample_result("a", State::failed, "k", "link")}) == "changed ");
  CHECK(changes({good}, {sample_result("b", State::passed)}) == "new gone ");
  CellResult leaking = good;
  leaking.findings.push_back({"wrong-libstdcxx", "warning", "$WORK/prefix/a", "f"});
  CHECK(changes({good}, {leaking}) == "changed ");
  CHECK(changes({leaking}, {leaking}).empty());
  CellResult worse = bad;
  worse.tests = {"one", "two"};
  CHECK(changes({worse}, {bad}).empty());
  CHECK(changes({bad}, {worse}) == "changed ");
  const Merged before = merged(nullptr, {bad}), now = merged(nullptr, {worse});
  CHECK(difference_text(comparison_of(differences(before, now), 0)).find("  | fails only now: two\n") !=
        std::string::npos);
  CHECK(result_json(read_result(result_json(worse), "x").value()) == result_json(worse));
}

TEST_CASE("what has grown by more than its project allows is listed, if both were measured") {
  const auto sized = [](std::uint64_t bytes, unsigned limit) {
    CellResult result = sample_result("a", State::passed);
    result.size = CellSize{bytes, limit};
    return result;
  };
  CHECK(changes({sized(1000, 10)}, {sized(1100, 10)}).empty());
  CHECK(changes({sized(1000, 10)}, {sized(1101, 10)}) == "changed ");
  CHECK(changes({sized(1101, 10)}, {sized(1000, 10)}).empty());
  CHECK(changes({sample_result("a", State::passed)}, {sized(1101, 10)}).empty());
  const Merged one = merged(nullptr, {sized(1000, 10)}), other = merged(nullptr, {sized(1200, 10)});
  const std::string text = difference_text(comparison_of(differences(one, other), 0));
  CHECK(text.find("changed (size): 1 cell\n") == 0);
  CHECK(text.find("1200 bytes, 1000 before: 20.0 % more, and size_limit is 10 %") != std::string::npos);
  CHECK(read_merged(merged_json(other), "x")->cells.front().size == CellSize{1200, 10});
}

TEST_CASE("a page has what differs before what is the same, and a row for each cell") {
  const auto result = [](const char* project, State state, const char* cause = "") {
    return sample_result(project, state, std::string("k ") + cause, cause);
  };
  const Merged before = merged(nullptr, {result("a", State::failed, "link"), result("b", State::passed),
                                         result("c", State::failed, "test"), result("d", State::passed)});
  const Merged now = merged(nullptr, {result("a", State::failed, "link"), result("b", State::failed, "test"),
                                      result("c", State::passed), result("e", State::passed)});
  const std::string page = html_page(&before, now, "1");
  std::size_t at = page.find("id=\"cells\"");
  for (const char* const part :
       {"broken</span> <code>test", ">b_12.4", "build: first line", "<td class=\"line\">passed", "new</span>",
        ">e_12.4", "gone</span>", ">d_12.4", "fixed</span> <code>test", ">c_12.4",
        "failed, build: first line", "failed</span> <code>link", ">a_12.4"}) {
    CAPTURE(part);
    REQUIRE(at != std::string::npos);
    at = page.find(part, at);
  }
  CHECK(at != std::string::npos);
  CHECK(html_page(nullptr, now, "1").find("broken") == std::string::npos);
}

TEST_CASE("merged results are read as they were written, and have forms for others") {
  CellResult bad = sample_result("a<&", State::failed, "k", "test");
  bad.findings.push_back({"wrong-libstdcxx", "error", "$WORK/prefix/a", "f"});
  bad.inputs = {"1"};
  bad.uncertain = {"a program used the network"};
  const Merged all =
      merged(nullptr, {bad, sample_result("b", State::passed), sample_result("c", State::cannot, "", "gate"),
                       sample_result("d", State::lost, "", "disk")});
  const std::string text = merged_json(all);
  CHECK(merged_json(read_merged(text, "x").value()) == text);
  CHECK(junit_xml(all).find("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\"") != std::string::npos);
  CHECK(junit_xml(all).find("a<&") == std::string::npos);
  CHECK(html_page(nullptr, all, "1").find("a<&") == std::string::npos);
  CHECK(sarif_json(all, "1").find("\"ruleId\": \"test\"") != std::string::npos);
  for (const char* const damaged :
       {"", "{}", "[]", "{\"kind\": \"merged\"}", "{\"kind\": \"result\", \"form\": 1}"}) {
    CAPTURE(damaged);
    const auto read = read_merged(damaged, "now.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().message.starts_with("now.json"));
  }
  CHECK(read_merged("{\"kind\": \"merged\", \"form\": 9}", "x").error().message ==
        "x is of another release of hostpin");
}
