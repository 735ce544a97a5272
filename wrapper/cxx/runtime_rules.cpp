// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/runtime_rules.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <array>

namespace hostpin::cxx {

namespace {

using Rule = plan::PlanRuntime::Rule;

/// What the two compilers do with one feature, before overrides.
struct Finding {
  bool crosses = false;
  std::string reason;
};

std::string name(const Compiler& compiler) {
  const std::string family = compiler.family == Family::gcc     ? "GCC"
                             : compiler.family == Family::clang ? "Clang"
                                                                : compiler.product;
  return (family.empty() ? std::string("an unknown compiler") : family) + " " + to_string(compiler.version);
}

bool equal_release(const Compiler& one, const Compiler& other) {
  return one.version.major == other.version.major && one.version.minor == other.version.minor;
}

/// The `.profraw` format that a Clang's instrumentation and runtime share, 0 if unknown. Read from
/// `__llvm_profile_raw_version` in objects of Clang 13 to 22.
int raw_profile_version(int major) {
  struct Row {
    int first;
    int last;
    int version;
  };
  constexpr std::array<Row, 4> rows = {{{13, 13, 7}, {14, 17, 8}, {18, 18, 9}, {19, 22, 10}}};
  for (const Row& row : rows)
    if (row.first <= major && major <= row.last)
      return row.version;
  return 0;
}

Finding called_runtime(const Compiler& host, const Compiler& link, const char* what) {
  if (host.version.major <= link.version.major)
    return {true, std::string("the ") + what + " of " + name(link) + " serves code of " + name(host)};
  return {false, name(host) + " may call what the older " + what + " of " + name(link) + " does not have"};
}

Finding gcov(const Compiler& host, const Compiler& link) {
  if (equal_release(host, link))
    return {true, "both use the gcov format of the same release"};
  return {false, "libgcov of " + name(link) + " drops the data of objects stamped by " + name(host) +
                     ", at best with `Version mismatch`"};
}

Finding llvm_profile(const Compiler& host, const Compiler& link) {
  const int version = raw_profile_version(host.version.major);
  if (host.version.major == link.version.major ||
      (version != 0 && version == raw_profile_version(link.version.major)))
    return {true, "both use the same raw profile format"};
  return {false, "the profile runtime of " + name(link) + " expects another raw format than " + name(host) +
                     " writes: no data, or a crash"};
}

Finding gcc_lto(const Compiler& host, const Compiler& link) {
  // The minor bytecode version also changes with point releases, so only equal versions are safe.
  if (host.version == link.version)
    return {true, "both read and write the bytecode of the same release"};
  return {false, "the linker plugin of " + name(link) + " reads no LTO bytecode but its own, and " +
                     name(host) + " writes another"};
}

Finding llvm_lto(const Compiler& host, const Compiler& link) {
  if (host.version.major <= link.version.major)
    return {true, name(link) + " reads the older bitcode of " + name(host)};
  return {false, name(link) + " does not read the newer bitcode of " + name(host)};
}

Finding finding(RuntimeFeature feature, const Compiler& host, const Compiler& link) {
  const bool gcc = host.family == Family::gcc;
  switch (feature) {
  case RuntimeFeature::sanitize:
    return called_runtime(host, link, "sanitizer runtime");
  case RuntimeFeature::coverage:
    // Clang's own gcov runtime takes the stamp from the object.
    return gcc ? gcov(host, link) : called_runtime(host, link, "coverage runtime");
  case RuntimeFeature::profile:
    return gcc ? gcov(host, link) : llvm_profile(host, link);
  case RuntimeFeature::openmp:
    return called_runtime(host, link, "OpenMP runtime");
  case RuntimeFeature::pg:
    break;
  case RuntimeFeature::lto:
    return gcc ? gcc_lto(host, link) : llvm_lto(host, link);
  }
  return {true, "the profiling hook is part of the C library"};
}

bool measured(const Compiler& host, const Compiler& link) {
  return host.family == link.family && host.family != Family::other;
}

bool same_compiler(const Compiler& host, const Compiler& link) {
  return !host.front_end.empty() && host.front_end == link.front_end && host.version == link.version;
}

plan::RuntimeRule rule_for(RuntimeFeature feature, const Compiler& host, const Compiler& link) {
  plan::RuntimeRule rule{std::string(to_string(feature)), Rule::refuse, {}};
  if (!measured(host, link) && feature != RuntimeFeature::pg) {
    rule.reason = name(host) + " and " + name(link) + " are not known to share a runtime";
    return rule;
  }
  const Finding found = finding(feature, host, link);
  rule.rule = found.crosses ? Rule::cross : Rule::refuse;
  rule.reason = found.reason;
  return rule;
}

std::string known_features() {
  return joined(runtime_feature_names);
}

} // namespace

std::optional<Error> runtime_override_error(const std::map<std::string, std::string>& overrides,
                                            const std::map<std::string, std::string>& places) {
  const auto& names = runtime_feature_names;
  for (const auto& [feature, wish] : overrides) {
    const auto place = places.find("runtime." + feature);
    std::string message = (place == places.end() ? "" : place->second + ": ") + "[runtime] ";
    const std::string near = nearest(feature, std::vector<std::string>(names.begin(), names.end()));
    if (std::find(names.begin(), names.end(), feature) == names.end())
      return Error{message.append("knows no feature \"").append(feature).append("\""),
                   (near.empty() ? "" : "did you mean " + near + "? ") + "features: " + known_features()};
    if (wish != "refuse" && wish != "one-compiler")
      return Error{message.append(feature).append(" is \"").append(wish).append("\""),
                   R"(use "refuse" or "one-compiler")"};
  }
  return std::nullopt;
}

std::vector<plan::RuntimeRule> runtime_rules(const Compiler& host, const Compiler& link,
                                             const std::map<std::string, std::string>& overrides) {
  std::vector<plan::RuntimeRule> rules;
  if (same_compiler(host, link))
    return rules;
  for (std::size_t i = 0; i < runtime_feature_names.size(); ++i) {
    plan::RuntimeRule& rule = rules.emplace_back(rule_for(static_cast<RuntimeFeature>(i), host, link));
    if (const auto wish = overrides.find(rule.feature); wish != overrides.end())
      rule.rule = wish->second == "one-compiler" ? Rule::one_compiler : Rule::refuse;
  }
  return rules;
}

void drop_refused(std::vector<plan::RuntimeRule>& rules, RuntimeFeature feature) {
  for (plan::RuntimeRule& rule : rules)
    if (rule.feature == to_string(feature) && rule.rule == Rule::refuse)
      rule.rule = Rule::drop;
}

} // namespace hostpin::cxx
