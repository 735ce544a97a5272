// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/severity.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace hostpin::redist {

using hostpin::Severity;

/// In the order of what they need: the text of one file, several files, archives, a composed tree, any tree.
enum class Rule {
  not_json,
  duplicate_key,
  wrong_type,
  missing_label,
  label_mismatch,
  product_mismatch,
  malformed_hash,
  unsafe_path,
  archive_name,
  version_in_name,
  platform_in_path,
  wrong_format,
  missing_variant,
  wrong_variant,
  two_hashes,
  mistaken_hash,
  duplicate_content,
  replaced_manifest,
  two_labels,
  lost_platform,
  renamed_package,
  unknown_license,
  top_directory,
  unsafe_member,
  wrong_machine,
  soname_link,
  cuda_directories,
  stub_as_library,
  wrong_version,
  missing_gpu_code,
  host_path,
  vendored_library,
  executable_stack,
  misaligned_segment,
  loader_refuses,
  path_conflict,
  missing_library,
  opened_library,
  missing_header,
  two_majors,
  stub_on_run_path,
  compat_order,
  unreachable_driver,
  newer_glibc,
  driver_pkgconfig,
  cmake_target,
  changed_file,
  changed_part,
  unproven_part,
  linked_part,
  unjudged_file,
};

/// What a rule needs to be applied.
enum class Scope {
  file,     ///< the text of one file
  files,    ///< several files, or a lock
  archives, ///< the archives that a manifest names
  tree,     ///< a composed tree
  audit,    ///< any tree or wheel: `redist audit`
};

std::string_view to_string(Scope scope);

/// The name and texts of a rule.
struct RuleText {
  Rule rule = Rule::not_json;
  Scope scope = Scope::file;
  std::string_view name;               ///< stable: used in reports and by other tools
  Severity severity = Severity::error; ///< the highest that a finding has
  std::string_view explanation;        ///< one sentence: what is wrong, and what harm it does
  std::string_view fix;                ///< one sentence: what to do
};

/// Every rule, in the order of the enumeration.
std::span<const RuleText> rules();

const RuleText& text_of(Rule rule);

std::optional<Rule> rule_named(std::string_view name);

} // namespace hostpin::redist
