// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/parse_plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hostpin {

namespace {

std::string standard_of(long cplusplus) {
  constexpr auto standards = std::to_array<std::pair<long, const char*>>({{199711, "gnu++98"},
                                                                          {201103, "gnu++11"},
                                                                          {201402, "gnu++14"},
                                                                          {201703, "gnu++17"},
                                                                          {202002, "gnu++20"},
                                                                          {202302, "gnu++23"}});
  for (const auto& [value, name] : standards)
    if (cplusplus <= value)
      return cplusplus == 0 ? "" : name;
  return "gnu++26";
}

} // namespace

ParsePlan parse_plan(const Invocation& invocation, const CompileCommand& command, const Compiler* compiler,
                     std::vector<std::string> system, const std::string& resources) {
  ParsePlan plan;
  plan.source = command.source;
  plan.directory = command.directory;
  plan.flags = invocation.flags;
  plan.is_c = is_c(invocation, command.source);
  plan.resources = resources;
  plan.system_directories = std::move(system);
  if (compiler == nullptr)
    return plan;
  plan.triple = compiler->target;
  if (!plan.is_c)
    plan.standard = standard_of(compiler->default_cplusplus);
  // Clang claims to be GCC 4.2, for which headers declare less. For GCC 11 and later, glibc uses attributes
  // that Clang does not support.
  if (compiler->family == Family::gcc)
    plan.gcc_version = to_full_string(std::min(compiler->version, Version{10, 2, 0}));
  return plan;
}

} // namespace hostpin
