// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/check/report.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/finding/sarif.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json number_or_null(unsigned number) {
  return number == 0 ? Json() : Json(number);
}

std::string_view fix_of(const Finding& finding) {
  return finding.fix.empty() ? text_of(finding.rule).fix : std::string_view(finding.fix);
}

/// `libcublas, linux-sbsa`; empty if it is about the whole file.
std::string about(const Finding& finding) {
  return finding.package + (finding.package.empty() || finding.platform.empty() ? "" : ", ") +
         finding.platform;
}

std::size_t count_of(const std::vector<Finding>& findings, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

std::string counted(std::size_t number, const std::string& what) {
  return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

Json json_of(const Finding& finding) {
  return {{"rule", text_of(finding.rule).name},
          {"severity", to_string(finding.severity)},
          {"file", finding.file},
          {"line", number_or_null(finding.at.line)},
          {"column", number_or_null(finding.at.column)},
          {"package", text_or_null(finding.package)},
          {"platform", text_or_null(finding.platform)},
          {"explanation", finding.explanation},
          {"cure", fix_of(finding)},
          {"fingerprint", fingerprint(finding)}};
}

} // namespace

std::string finding_line(const Finding& finding) {
  std::string text = escaped(finding.file);
  if (finding.at.line != 0)
    text += ':' + std::to_string(finding.at.line) + ':' + std::to_string(finding.at.column);
  text.append(": ").append(to_string(finding.severity)).append(": ");
  if (const std::string what = about(finding); !what.empty())
    text += escaped(what) + ": ";
  return text + escaped(finding.explanation) + " [" + std::string(text_of(finding.rule).name) + "]\n";
}

std::string report_text(const std::vector<Finding>& findings, std::size_t files, const Terminal& terminal) {
  std::string text;
  std::set<Rule> found;
  for (const Finding& one : findings) {
    text += finding_line(one);
    found.insert(one.rule);
  }
  for (const Rule rule : found)
    text += paragraph("hint: " + std::string(text_of(rule).name) + ": " + std::string(text_of(rule).fix),
                      terminal, 0, 6);
  return text + counted(files, "file") + ", " + counted(count_of(findings, Severity::error), "error") + ", " +
         counted(count_of(findings, Severity::warning), "warning") + ", " +
         counted(count_of(findings, Severity::note), "note") + '\n';
}

std::string report_json(const std::vector<Finding>& findings, std::size_t files) {
  Json json{{"schema", 1}, {"files", files}};
  Json& found = json["findings"] = Json::array();
  for (const Finding& one : findings)
    found.push_back(json_of(one));
  // Names of files and texts of damaged files are any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string report_sarif(const std::vector<Finding>& findings, std::string_view version,
                         std::string_view program) {
  finding::SarifLog log{program, version, {}, {}, std::nullopt};
  for (const RuleText& rule : rules())
    log.rules.push_back({rule.name, rule.explanation, rule.fix, to_string(rule.severity)});
  for (const Finding& one : findings)
    log.results.push_back({std::string(text_of(one.rule).name),
                           static_cast<std::size_t>(one.rule),
                           std::string(to_string(one.severity)),
                           one.explanation,
                           one.file,
                           std::nullopt,
                           one.at.line,
                           one.at.column,
                           about(one),
                           {},
                           fingerprint(one)});
  return sarif_text(log);
}

} // namespace hostpin::redist
