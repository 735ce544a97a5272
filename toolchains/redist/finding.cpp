// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/finding.hpp"

#include "toolchains/base/stable_hash.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace hostpin::redist {

namespace {

/// `cuda/redistrib_12.4.1.json`: what stays the same wherever the file is.
std::string_view last_names(std::string_view path) {
  const std::size_t name = path.rfind('/');
  if (name == std::string_view::npos || name == 0)
    return path;
  const std::size_t directory = path.rfind('/', name - 1);
  return directory == std::string_view::npos ? path : path.substr(directory + 1);
}

auto order_of(const Finding& finding) {
  return std::tie(finding.file, finding.at.line, finding.at.column, finding.rule, finding.package,
                  finding.platform, finding.subject, finding.explanation);
}

} // namespace

Finding finding(Rule rule, std::string file, Position at, std::string subject, std::string explanation) {
  return {rule, text_of(rule).severity, std::move(file),        at, {},
          {},   std::move(subject),     std::move(explanation), {}};
}

std::string fingerprint(const Finding& finding) {
  return StableHash()
      .add(text_of(finding.rule).name)
      .add(last_names(finding.file))
      .add(finding.package)
      .add(finding.platform)
      .add(finding.subject)
      .text();
}

void sort(std::vector<Finding>& findings) {
  std::ranges::sort(
      findings, [](const Finding& left, const Finding& right) { return order_of(left) < order_of(right); });
  const auto same = std::ranges::unique(findings);
  findings.erase(same.begin(), same.end());
}

std::optional<Severity> most_severe(const std::vector<Finding>& findings) {
  const auto found = std::ranges::max_element(findings, {}, &Finding::severity);
  return found == findings.end() ? std::nullopt : std::optional(found->severity);
}

} // namespace hostpin::redist
