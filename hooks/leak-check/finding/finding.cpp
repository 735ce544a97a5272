// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/finding.hpp"

#include "hooks/leak-check/needles/needles.hpp"
#include "toolchains/base/stable_hash.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

namespace hostpin::leak {

std::string whole_path(const Location& location) {
  const bool joined = location.tree.empty() || location.tree.ends_with('/');
  return location.tree + (joined ? "" : "/") + location.path;
}

std::string shown(const Location& location) {
  std::string text = escaped(whole_path(location));
  for (const std::string& member : location.member)
    text.append("(").append(escaped(member)).append(")");
  return text;
}

std::string fingerprint(const Finding& finding) {
  StableHash print;
  print.add(text_of(finding.rule).name);
  print.add(finding.where.path);
  for (const std::string& member : finding.where.member)
    print.add(member);
  print.add(finding.where.section);
  print.add(finding.reference);
  if (const std::string_view tree = finding.where.tree; !tree.empty()) {
    const std::string_view hash = store_hash(tree);
    const std::size_t at = hash.empty() ? 0 : static_cast<std::size_t>(hash.data() - tree.data());
    print.add(tree.substr(0, at));
    print.add(tree.substr(at + hash.size()));
  }
  return print.text();
}

namespace {

std::string sentence(std::string_view clause) {
  std::string text(clause);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + '.';
}

} // namespace

Finding finding_of(const loader::Verdict& verdict, Location where, std::string_view file_name) {
  const Rule rule = rule_named(verdict.rule).value_or(Rule::loader_refuses);
  return {rule,
          verdict.severity,
          std::move(where),
          std::string(rule == Rule::loader_refuses ? verdict.message : file_name),
          {},
          sentence("it " + verdict.described),
          sentence(verdict.fix)};
}

std::string_view resolution(const Finding& finding) {
  if (finding.rule == Rule::missing_library || finding.rule == Rule::foreign_machine ||
      finding.rule == Rule::run_path_missing || finding.rule == Rule::order_dependent)
    return "is at"; // the loader would not find or take it
  const bool is_path = finding.rule == Rule::forbidden_runpath || finding.rule == Rule::forbidden_reference ||
                       finding.rule == Rule::build_directory;
  return is_path && finding.where.section != ".interp" ? "leads to" : "would be loaded";
}

void Findings::sort() {
  const auto key = [](const Finding& one) {
    const Location& where = one.where;
    return std::tie(where.tree, where.path, where.member, where.section, where.offset, one.rule,
                    one.reference, one.resolved, one.explanation, one.fix);
  };
  std::sort(found.begin(), found.end(), [&](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : key(a) < key(b);
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::sort(unseen.begin(), unseen.end(), [](const Unseen& a, const Unseen& b) {
    return std::tie(a.where.tree, a.where.path, a.where.member, a.where.section, a.reason) <
           std::tie(b.where.tree, b.where.path, b.where.member, b.where.section, b.reason);
  });
}

std::size_t Findings::count(Severity severity) const {
  return static_cast<std::size_t>(std::count_if(
      found.begin(), found.end(), [&](const Finding& one) { return one.severity == severity; }));
}

std::optional<Severity> Findings::most_severe() const {
  const auto most = std::max_element(
      found.begin(), found.end(), [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return most == found.end() ? std::nullopt : std::optional(most->severity);
}

} // namespace hostpin::leak
