// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/rules.hpp"
#include "wrapper/report/mark.hpp"
#include "wrapper/report/sections.hpp"
#include "wrapper/report/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace hostpin {

namespace {

constexpr std::array<std::string_view, 3> severities = {"error", "warning", "note"};

/// Its index in the severities, the most severe first; after them for an unknown one.
std::size_t gravity(std::string_view severity) {
  return static_cast<std::size_t>(std::find(severities.begin(), severities.end(), severity) -
                                  severities.begin());
}

/// The text about a rule that all its findings share.
struct RuleNote {
  std::string explanation, cure;
};
RuleNote rule_note(const std::string& rule) {
  if (const auto known = rule_named(rule))
    return {std::string(text_of(*known).explanation), std::string(text_of(*known).cure)};
  return {};
}

/// An explanation without its rule's text at the front.
std::string_view own_part(const ReportFinding& finding, const RuleNote& rule) {
  std::string_view text = finding.explanation;
  if (!rule.explanation.empty() && text.starts_with(rule.explanation))
    text.remove_prefix(rule.explanation.size());
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
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
    return std::make_tuple(gravity(finding.severity), std::string_view(finding.rule),
                           std::string_view(finding.path), std::string_view(finding.member),
                           std::string_view(finding.reference));
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) { return key(*a) < key(*b); });
  return all;
}

std::string item(const ReportFinding& finding) {
  const RuleNote rule = rule_note(finding.rule);
  std::string rows;
  const auto row = [&](const char* name, std::string_view text) {
    if (!text.empty())
      rows += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, html(text));
  };
  row("Where", place(finding));
  row("Leads to", finding.resolved);
  row("Why", own_part(finding, rule));
  row("Rule", rule.explanation);
  row("Cure", finding.cure);
  row("Fingerprint", finding.fingerprint);
  return fmt::format(
      "<li class=\"finding\"><details><summary>{} <code class=\"rule\">{}</code> <span "
      "class=\"path\">{}</span> <span class=\"reference\">{}</span></summary><dl>{}</dl></details></li>\n",
      marked(finding.severity), html(finding.rule), html(finding.path), html(finding.reference), rows);
}

std::string rule_table(const std::vector<const ReportFinding*>& findings) {
  struct Count {
    std::size_t gravity = severities.size(), all = 0;
  };
  std::map<std::string_view, Count> counts;
  for (const auto* const finding : findings) {
    Count& count = counts[finding->rule];
    count.gravity = std::min(count.gravity, gravity(finding->severity));
    ++count.all;
  }
  std::vector<std::pair<std::string_view, Count>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.gravity < b.second.gravity; });
  std::string rows;
  for (const auto& [rule, count] : order) {
    const std::string severity(count.gravity < severities.size() ? severities[count.gravity] : "unknown");
    rows += fmt::format(
        "<tr><td>{}</td><th scope=\"row\"><code>{}</code></th><td class=\"number\">{}</td><td>{}</td></tr>\n",
        marked(severity), html(rule), counted(count.all), html(rule_note(std::string(rule)).explanation));
  }
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Findings by rule, "
      "scrollable\">\n<table "
      "class=\"list\">\n<caption>Findings by rule.</caption>\n<thead><tr><th scope=\"col\">Gravest</th><th "
      "scope=\"col\">Rule</th><th scope=\"col\">Findings</th><th scope=\"col\">What it "
      "means</th></tr></thead>\n"
      "<tbody>\n{}</tbody>\n</table>\n</div>\n",
      rows);
}

/// Controls for searching and paging; the script shows them.
std::string controls(const std::vector<const ReportFinding*>& findings) {
  std::map<std::string_view, std::size_t> rules;
  std::array<std::size_t, severities.size() + 1> counts{};
  for (const auto* const finding : findings) {
    ++rules[finding->rule];
    ++counts[gravity(finding->severity)];
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
      "placeholder=\"path, reference, cure\" autocomplete=\"off\"></label>\n<label>Rule <select "
      "id=\"rule\">{}</select></label>\n<fieldset><legend>Show</legend>\n{}</fieldset>\n</form>\n",
      options, boxes);
}

std::string unseen_list(const ReportLeaks& leaks) {
  if (leaks.unseen.empty())
    return {};
  std::string items;
  const std::size_t shown = std::min<std::size_t>(leaks.unseen.size(), 200);
  for (std::size_t i = 0; i < shown; ++i)
    items += fmt::format("<li><span class=\"path\">{}</span> {}</li>\n", html(leaks.unseen[i].path),
                         html(leaks.unseen[i].reason));
  if (shown < leaks.unseen.size())
    items +=
        fmt::format("<li>and {} more, which leak-check lists</li>\n", counted(leaks.unseen.size() - shown));
  return fmt::format(
      "<h3>Not looked at</h3>\n<p>{} {} could not be judged, so more may be wrong than is shown.</p>\n<ul "
      "class=\"notes\">\n{}</ul>\n",
      marked("warning"), counted(leaks.unseen.size(), "place"), items);
}

} // namespace

std::string leaks_section(const ReportLeaks& leaks) {
  const std::vector<const ReportFinding*> findings = sorted(leaks);
  std::string text = "<section aria-labelledby=\"leaks\">\n<h2 id=\"leaks\">Leaks</h2>\n";
  std::string where;
  for (const std::string& one : leaks.looked_at)
    where += fmt::format("{}<span class=\"path\">{}</span>", where.empty() ? "" : ", ", html(one));
  text += fmt::format("<p>{} in {} ({} bytes) of {}.</p>\n", counted(findings.size(), "finding"),
                      counted(leaks.files, "file"), counted(leaks.bytes), where);
  if (leaks.without_binding)
    text += fmt::format(
        "<p>{} There is no binding to judge by: what leads to the wrong compiler or libstdc++ is not told "
        "here.</p>\n",
        marked("warning"));
  text += unseen_list(leaks);
  if (findings.empty())
    return text + fmt::format("<p>{} Nothing refers to what it must not.</p>\n</section>\n", marked("ok"));
  text += rule_table(findings);
  text += "<h3 id=\"findings\">Findings</h3>\n" + controls(findings);
  text += "<p id=\"findings-status\" class=\"quiet\" role=\"status\"></p>\n<ol id=\"finding-list\" "
          "class=\"findings\">\n";
  for (std::size_t i = 0; i < std::min(findings.size(), static_findings); ++i)
    text += item(*findings[i]);
  text += "</ol>\n";
  if (findings.size() > static_findings)
    text += fmt::format(
        "<p id=\"cut\">Without scripts only the {} gravest are shown here, of {}; hostpin leak-check lists "
        "all.</p>\n",
        counted(static_findings), counted(findings.size()));
  text += "<nav id=\"pager\" class=\"pager\" aria-label=\"Pages of findings\" hidden><button type=\"button\" "
          "id=\"previous\">Previous</button> <span id=\"page\"></span> <button type=\"button\" "
          "id=\"next\">Next</button></nav>\n";
  return text + "</section>\n";
}

std::string leaks_data(const ReportLeaks& leaks) {
  // Texts that many findings share are written once.
  std::map<std::string_view, std::size_t> rules, cures;
  std::string rule_rows, cure_rows, rows;
  const auto index = [](std::map<std::string_view, std::size_t>& known, std::string_view text,
                        std::string& written, const auto& write) {
    const auto [found, is_new] = known.emplace(text, known.size());
    if (is_new) {
      written += written.empty() ? "" : ",\n";
      written += write(text);
    }
    return found->second;
  };
  for (const auto* const finding : sorted(leaks)) {
    const RuleNote rule = rule_note(finding->rule);
    const std::size_t rule_index = index(rules, finding->rule, rule_rows, [&](std::string_view name) {
      return fmt::format("[{},{}]", script_string(name), script_string(rule.explanation));
    });
    const std::size_t cure_index =
        index(cures, finding->cure, cure_rows, [](std::string_view text) { return script_string(text); });
    rows += rows.empty() ? "" : ",\n";
    rows += fmt::format(
        "[{},{},{},{},{},{},{},{},{}]", gravity(finding->severity), rule_index, script_string(finding->path),
        script_string(place(*finding)), script_string(finding->reference), script_string(finding->resolved),
        script_string(own_part(*finding, rule)), cure_index, script_string(finding->fingerprint));
  }
  return fmt::format("{{\"rules\":[{}],\n\"cures\":[{}],\n\"rows\":[\n{}]}}", rule_rows, cure_rows, rows);
}

} // namespace hostpin
