// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/severity.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hostpin::leak {

using hostpin::Severity;

enum class Rule {
  forbidden_runpath,
  forbidden_reference,
  wrong_libstdcxx,
  unmet_version_need,
  missing_library,
  two_cuda_runtimes,
  own_static_and_shared_cudart,
  cuda_stub_runpath,
  vendored_driver,
  cuda_compat_order,
  driver_runpath,
  build_directory,
  host_path_from_store,
  foreign_static_libstdcxx,
  runpath_not_a_directory,
  needed_and_version_names_differ,
  dangling_runpath,
  foreign_machine,
  executable_stack,
  misaligned_segment,
  loader_refuses,
  missing_function,
  // Of `hostpin wheel` only.
  tag_below_needs,
  tag_names_differ,
  policy_version,
  record_incomplete,
  run_path_leaves_site,
  run_path_missing,
  opened_library,
  order_dependent,
  requires_missing,
  requires_loose,
  requires_wrong_major,
  requires_too_old,
  second_cuda_runtime,
  runtime_of_its_own,
  system_shadows_wheel,
  driver_floor,
  gpu_missing,
  gpu_surplus,
  too_large,
  torch_abi,
  variant_claims_other_code,
  not_reproducible,
};

/// The commands that report findings.
enum class Tool { leak_check, wheel };

/// The name and texts of a rule.
struct RuleText {
  Rule rule = Rule::forbidden_runpath;
  std::string_view name;              ///< stable: used in exceptions, in reports and by other tools
  Severity highest = Severity::error; ///< severity of a finding; `judge/` decides which each one has
  std::string_view explanation;       ///< one sentence: what is wrong, and when it does harm
  std::string_view fix;               ///< one sentence: what to do; names --fix only if that does it
  bool in_wheels = false;             ///< `hostpin wheel` reports it too
};

/// The rules of leak-check, in the order of the enumeration.
std::span<const RuleText> rules();

/// Those of a tool, likewise; of `wheel` those that only it has and those that it shares with leak-check.
std::vector<RuleText> rules_of(Tool tool);

const RuleText& text_of(Rule rule);

/// One of leak-check's.
std::optional<Rule> rule_named(std::string_view name);

} // namespace hostpin::leak
