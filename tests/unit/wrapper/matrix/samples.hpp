// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/plan.hpp"
#include "wrapper/matrix/result.hpp"

#include <string>
#include <utility>
#include <vector>

namespace hostpin::matrix::test {

/// Projects p0, p1 ... and as many toolkits, stdenvs and lists of GPUs.
inline Description sample_description(std::size_t projects, std::size_t toolkits, std::size_t stdenvs,
                                      std::size_t gpus) {
  Description description;
  description.name = "sample";
  const auto fill = [&](Axis axis, const char* prefix, std::size_t count) {
    auto& values = description.values[static_cast<std::size_t>(axis)];
    for (std::size_t number = 0; number < count; ++number)
      values.push_back(prefix + std::to_string(number));
    if (values.empty())
      values.emplace_back();
  };
  fill(Axis::project, "p", projects);
  fill(Axis::toolkit, "12.", toolkits);
  fill(Axis::stdenv, "g++-", stdenvs);
  fill(Axis::host, "", 0);
  fill(Axis::gpus, "", gpus);
  fill(Axis::c_library, "", 0);
  for (const std::string& name : description.values[0]) {
    Project project;
    project.name = name;
    project.source = "/source/" + name;
    project.build = "make";
    description.projects.push_back(project);
  }
  return description;
}

inline CellResult sample_result(const std::string& project, State state, const std::string& key = "k",
                                const std::string& cause = {}) {
  CellResult result;
  result.cell.at = {project, "12.4", "g++-13", "", "", ""};
  result.cell.id = id_of(result.cell.at);
  result.state = state;
  result.key = key;
  result.question = "q";
  result.decision = "d";
  if (!cause.empty())
    result.cause = {cause, "build", "first line", "fix it"};
  return result;
}

} // namespace hostpin::matrix::test
