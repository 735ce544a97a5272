// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of a matrix that other machines wrote: plans, results, merged results, lists of inputs, and
// JUnit's XML. One that is read is written as something that is read again as the same.
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/inputs.hpp"
#include "wrapper/matrix/junit.hpp"
#include "wrapper/matrix/merge.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::matrix;

std::vector<std::string> seeds() {
  const CellResult failed = test::sample_result("a", State::failed, "k", "test");
  Plan plan;
  plan.projects = test::sample_description(1, 1, 1, 1).projects;
  plan.cells.push_back({failed.cell, Planned::cannot, {"", "", "reason", "hint"}, false, ""});
  return {
      plan_json(plan), result_json(failed), merged_json(merged(nullptr, {failed})),
      "1 file:0 $SOURCE/a\n2 absent /b\\n\\\\\n",
      "<testsuites><testsuite><testcase name='a' classname='b'><failure message='c'>d</failure></testcase>"
      "</testsuite></testsuites>"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto plan = read_plan(text, "x");
      plan && plan_json(read_plan(plan_json(*plan), "x").value()) != plan_json(*plan))
    std::abort();
  if (const auto result = read_result(text, "x");
      result && result_json(read_result(result_json(*result), "x").value()) != result_json(*result))
    std::abort();
  if (const auto all = read_merged(text, "x"))
    if (merged_json(read_merged(merged_json(*all), "x").value()) != merged_json(*all) ||
        differences(*all, *all).size() > all->cells.size())
      std::abort();
  if (const auto inputs = read_inputs(text, "x");
      inputs && read_inputs(input_lines(*inputs), "x").value() != *inputs)
    std::abort();
  if (auto cases = read_junit(text, "x"); cases && !cases->failed.empty())
    if (cases->failed.size() > cases->count || failed_text(cases->failed).empty())
      std::abort();
  return 0;
}
