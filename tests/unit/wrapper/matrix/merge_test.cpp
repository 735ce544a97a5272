// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/matrix/samples.hpp"
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
  const Merged all = merged(&plan, {sample_result("z", State::passed)});
  REQUIRE(all.cells.size() == 2);
  CHECK(all.cells[0].state == State::missing);
  CHECK(all.cells[1].state == State::cannot);
  CHECK(all.cells[1].cause.kind == "gate");
  CHECK(summary(all) == "1 cannot (gate 1), 1 missing");
}

TEST_CASE("differences tell what is broken, fixed, new, gone, open and noise apart") {
  const CellResult good = sample_result("a", State::passed),
                   bad = sample_result("a", State::failed, "k", "test");
  CHECK(changes({good}, {good}).empty());
  CHECK(changes({good}, {bad}) == "broken ");
  CHECK(changes({bad}, {good}) == "fixed ");
  CHECK(changes({good}, {sample_result("a", State::lost, "k", "disk")}) == "undecided ");
  CHECK(changes({good}, {sample_result("a", State::noise, "k", "test")}) == "noise ");
  CHECK(changes({bad}, {sample_result("a", State::failed, "k", "link")}) == "changed ");
  CHECK(changes({good}, {sample_result("b", State::passed)}) == "new gone ");
  CellResult leaking = good;
  leaking.findings.push_back({"wrong-libstdcxx", "warning", "$WORK/prefix/a", "f"});
  CHECK(changes({good}, {leaking}) == "changed ");
  CHECK(changes({leaking}, {leaking}).empty());
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
  CHECK(html_page(all, "1").find("a<&") == std::string::npos);
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
