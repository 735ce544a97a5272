// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/text.hpp"
#include "wrapper/report/html.hpp"
#include "wrapper/report/sections.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::report {

namespace {

/// Inputs that stop a link come first; inputs without link-time code are only counted.
int rank(const ReportLto::Input& input) {
  return input.refused ? 0 : input.verdict == "ok" ? 2 : 1;
}

std::string input_row(const ReportLto::Input& input) {
  std::string what = html(input.reason);
  if (!input.fix.empty())
    what += fmt::format("<span class=\"fix\">{}</span>", html(input.fix));
  return fmt::format("<tr><td data-verdict=\"{}\">{}</td><th scope=\"row\">{}</th><td>{}</td>"
                     "<td>{}</td><td>{}</td></tr>\n",
                     html(input.verdict), marked(input.verdict), path_span(input.path),
                     html(input.format + (input.version.empty() ? "" : " " + input.version)),
                     html(input.producer), what);
}

constexpr std::array<std::string_view, 3> severities = {"error", "warning", "note"};

/// Its index in the severities, the most severe first; after them for an unknown one.
std::size_t severity_index(std::string_view severity) {
  return static_cast<std::size_t>(std::find(severities.begin(), severities.end(), severity) -
                                  severities.begin());
}

/// What a rule means; empty if it is not known.
std::string rule_text(const ReportLeaks& leaks, const std::string& rule) {
  const auto found = leaks.rules.find(rule);
  return found == leaks.rules.end() ? std::string() : found->second;
}

std::string place(const ReportFinding& finding) {
  std::string text = finding.member;
  for (const std::string& part :
       {finding.section,
        finding.offset ? fmt::format("at byte {}", counted(*finding.offset)) : std::string()})
    if (!part.empty())
      text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::vector<const ReportFinding*> sorted(const ReportLeaks& leaks) {
  std::vector<const ReportFinding*> all;
  for (const ReportFinding& finding : leaks.findings)
    all.push_back(&finding);
  const auto key = [](const ReportFinding& finding) {
    return std::make_tuple(severity_index(finding.severity), std::string_view(finding.rule),
                           std::string_view(finding.path), std::string_view(finding.member),
                           std::string_view(finding.reference));
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) { return key(*a) < key(*b); });
  return all;
}

std::string item(const ReportFinding& finding, const ReportLeaks& leaks) {
  std::string rows;
  for (const auto& [name, text] : {std::pair("Where", place(finding)),
                                   {"Leads to", finding.resolved},
                                   {"Why", finding.explanation},
                                   {"Rule", rule_text(leaks, finding.rule)},
                                   {"Fix", finding.fix},
                                   {"Fingerprint", finding.fingerprint}})
    rows += definition(name, html(text));
  return fmt::format("<li class=\"finding\"><details><summary>{} <code class=\"rule\">{}</code> {} <span "
                     "class=\"reference\">{}</span></summary><dl>{}</dl></details></li>\n",
                     marked(finding.severity), html(finding.rule), path_span(finding.path),
                     html(finding.reference), rows);
}

std::string rule_table(const std::vector<const ReportFinding*>& findings, const ReportLeaks& leaks) {
  struct Count {
    std::size_t severity = severities.size(), all = 0;
  };
  std::map<std::string_view, Count> counts;
  for (const auto* const finding : findings) {
    Count& count = counts[finding->rule];
    count.severity = std::min(count.severity, severity_index(finding->severity));
    ++count.all;
  }
  std::vector<std::pair<std::string_view, Count>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.severity < b.second.severity; });
  std::string rows;
  for (const auto& [rule, count] : order) {
    const std::string severity(count.severity < severities.size() ? severities[count.severity] : "unknown");
    rows += fmt::format(
        "<tr><td>{}</td><th scope=\"row\"><code>{}</code></th><td class=\"number\">{}</td><td>{}</td></tr>\n",
        marked(severity), html(rule), counted(count.all), html(rule_text(leaks, std::string(rule))));
  }
  return table("class=\"list\"", "Findings by rule", "Findings by rule.",
               columns_of({"Most severe", "Rule", "Findings", "What it means"}), rows);
}

/// Controls for searching and paging; the script shows them.
std::string controls(const std::vector<const ReportFinding*>& findings) {
  std::map<std::string_view, std::size_t> rules;
  std::array<std::size_t, severities.size() + 1> counts{};
  for (const auto* const finding : findings) {
    ++rules[finding->rule];
    ++counts[severity_index(finding->severity)];
  }
  std::string options = "<option value=\"\">all rules</option>";
  for (const auto& [rule, count] : rules)
    options += fmt::format("<option value=\"{0}\">{0} ({1})</option>", html(rule), counted(count));
  std::string boxes;
  for (std::size_t i = 0; i < severities.size(); ++i)
    boxes += fmt::format(
        "<label><input type=\"checkbox\" name=\"severity\" value=\"{}\" checked> {} ({})</label>\n",
        severities[i], marked(severities[i]), counted(counts[i]));
  return fmt::format(
      "<form id=\"controls\" class=\"controls\" hidden>\n<label>Search <input type=\"search\" id=\"search\" "
      "placeholder=\"path, reference, fix\" autocomplete=\"off\"></label>\n<label>Rule <select "
      "id=\"rule\">{}</select></label>\n<fieldset><legend>Show</legend>\n{}</fieldset>\n</form>\n",
      options, boxes);
}

std::string unseen_list(const ReportLeaks& leaks) {
  if (leaks.unseen.empty())
    return {};
  std::string items;
  const std::size_t shown = std::min<std::size_t>(leaks.unseen.size(), 200);
  for (std::size_t i = 0; i < shown; ++i)
    items += fmt::format("<li>{} {}</li>\n", path_span(leaks.unseen[i].path), html(leaks.unseen[i].reason));
  if (shown < leaks.unseen.size())
    items +=
        fmt::format("<li>and {} more, which leak-check lists</li>\n", counted(leaks.unseen.size() - shown));
  return fmt::format(
      "<h3>Not scanned</h3>\n<p>{} {} could not be scanned, so there may be more findings.</p>\n{}",
      marked("warning"), counted(leaks.unseen.size(), "location"), list("notes", items));
}

/// The findings themselves, with the controls and the pager of the script.
std::string finding_list(const std::vector<const ReportFinding*>& findings, const ReportLeaks& leaks) {
  std::string text =
      "<h3 id=\"findings\">Findings</h3>\n" + controls(findings) +
      "<p id=\"findings-status\" class=\"quiet\" role=\"status\"></p>\n<ol id=\"finding-list\" "
      "class=\"findings\">\n";
  for (std::size_t i = 0; i < std::min(findings.size(), static_findings); ++i)
    text += item(*findings[i], leaks);
  text += "</ol>\n";
  if (findings.size() > static_findings)
    text += fmt::format(
        "<p id=\"cut\">Without scripts only the {} most severe are shown here, of {}; hostpin leak-check "
        "prints all.</p>\n",
        counted(static_findings), counted(findings.size()));
  return text + "<nav id=\"pager\" class=\"pager\" aria-label=\"Pages of findings\" hidden><button "
                "type=\"button\" id=\"previous\">Previous</button> <span id=\"page\"></span> <button "
                "type=\"button\" "
                "id=\"next\">Next</button></nav>\n";
}

} // namespace

std::string lto_section(const ReportLto& lto) {
  std::vector<const ReportLto::Input*> shown;
  for (const ReportLto::Input& input : lto.inputs)
    if (input.verdict != "none")
      shown.push_back(&input);
  std::stable_sort(shown.begin(), shown.end(),
                   [](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  const auto refused = static_cast<std::size_t>(
      std::count_if(shown.begin(), shown.end(), [](const auto* input) { return input->refused; }));
  std::string text =
      fmt::format("<p>{} judged for {}: {} with link-time code, of which {} would stop the link.</p>\n",
                  counted(lto.inputs.size(), "input"), html(lto.linker.empty() ? "no linker" : lto.linker),
                  counted(shown.size()), counted(refused));
  // Thousands of members would make the page too long to scroll: inputs without problems are cut first.
  constexpr std::size_t limit = 500;
  const std::size_t left_out = shown.size() > limit ? shown.size() - limit : 0;
  shown.resize(shown.size() - left_out);
  std::string rows;
  for (const auto* const input : shown)
    rows += input_row(*input);
  if (!rows.empty())
    text += table("class=\"list\"", "Link-time code",
                  "Which compiler wrote each input, and whether the linker can read it.",
                  columns_of({"Verdict", "Input", "Code", "Written by", "Why, and what to do"}), rows);
  if (left_out > 0)
    text +=
        fmt::format("<p>{} more are omitted, the most severe are above: hostpin lto-check prints all.</p>\n",
                    counted(left_out));
  return section("lto", "Link-time code", text);
}

std::string leaks_section(const ReportLeaks& leaks) {
  const std::vector<const ReportFinding*> findings = sorted(leaks);
  const std::string where =
      joined(leaks.scanned, ", ", [](const std::string& one) { return path_span(one); });
  std::string text = fmt::format("<p>{} in {} ({} bytes) of {}.</p>\n", counted(findings.size(), "finding"),
                                 counted(leaks.files, "file"), counted(leaks.bytes), where);
  if (leaks.without_binding)
    text += fmt::format(
        "<p>{} There is no binding to judge by: references to the wrong compiler or libstdc++ are not "
        "found.</p>\n",
        marked("warning"));
  text += unseen_list(leaks);
  text += findings.empty() ? fmt::format("<p>{} No references to wrong files.</p>\n", marked("ok"))
                           : rule_table(findings, leaks) + finding_list(findings, leaks);
  return section("leaks", "Leaks", text);
}

std::string leaks_data(const ReportLeaks& leaks) {
  // Texts that many findings share are written once.
  std::map<std::string_view, std::size_t> rules, fixes;
  std::string rule_rows, fix_rows, rows;
  const auto append = [](std::string& written, const std::string& row) {
    written += (written.empty() ? "" : ",\n") + row;
  };
  for (const auto* const finding : sorted(leaks)) {
    const auto [rule, is_new_rule] = rules.emplace(finding->rule, rules.size());
    if (is_new_rule)
      append(rule_rows, fmt::format("[{},{}]", script_string(finding->rule),
                                    script_string(rule_text(leaks, finding->rule))));
    const auto [fix, is_new_fix] = fixes.emplace(finding->fix, fixes.size());
    if (is_new_fix)
      append(fix_rows, script_string(finding->fix));
    append(rows, fmt::format("[{},{},{},{},{},{},{},{},{}]", severity_index(finding->severity), rule->second,
                             script_string(finding->path), script_string(place(*finding)),
                             script_string(finding->reference), script_string(finding->resolved),
                             script_string(finding->explanation), fix->second,
                             script_string(finding->fingerprint)));
  }
  return fmt::format("{{\"rules\":[{}],\n\"fixes\":[{}],\n\"rows\":[\n{}]}}", rule_rows, fix_rows, rows);
}

} // namespace hostpin::report
