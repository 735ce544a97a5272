// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/e2e/toolchains/lab.hpp"
#include "toolchains/gate/gate.hpp"

#include <map>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("every compiler reads the same bounds from a real header") {
  // What the #error lines of these releases say; the Clang floor of all is 3.2, so 4 is the first whole
  // major.
  const std::map<std::pair<int, int>, std::pair<int, int>> upper_ends = {
      {{11, 2}, {10, 11}}, {{11, 8}, {11, 14}}, {{12, 4}, {13, 17}}, {{13, 0}, {15, 20}}};
  const HostProcesses processes;
  int checked = 0;
  for (const Toolkit& toolkit : lab().toolkits) {
    const auto known = upper_ends.find({toolkit.version.major, toolkit.version.minor});
    if (known == upper_ends.end())
      continue;
    for (const std::string& driver : lab().drivers) {
      CAPTURE(toolkit.root);
      CAPTURE(driver);
      Compiler compiler;
      compiler.command = {driver};
      compiler.family = driver.find("clang") == std::string::npos ? Family::gcc : Family::clang;
      const auto gate = evaluate_gate(toolkit, compiler, processes);
      if (!gate)
        FAIL_CHECK(gate.error().message);
      else {
        CHECK(gate->gcc == Bounds{std::nullopt, known->second.first});
        CHECK(gate->clang == Bounds{4, known->second.second});
        CHECK(gate->refusals.front().where.rfind("crt/host_config.h:", 0) == 0);
      }
      ++checked;
    }
  }
  CHECK(checked > 0);
}
