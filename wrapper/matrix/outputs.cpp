// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/json.hpp"
#include "wrapper/matrix/merge.hpp"
#include "wrapper/report/html.hpp"
#include "wrapper/report/page.hpp"
#include "wrapper/report/sections.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

/// The order in which people look for them.
constexpr std::array shown_states{State::failed,  State::noise,  State::lost,
                                  State::missing, State::cannot, State::passed};

std::string_view mood(State state) {
  switch (state) {
  case State::passed:
    return "ok";
  case State::failed:
    return "error";
  case State::cannot:
    return "note";
  default:
    return "warning";
  }
}

std::string cause_text(const CellResult& cell) {
  return fmt::format("{}: {}", cell.cause.stage, cell.cause.text);
}

/// XML text in a quoted attribute: control characters are not XML.
std::string xml(std::string_view text) {
  return report::html(text);
}

std::string junit_case(const CellResult& cell) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(cell.cell[Axis::project]),
                                 xml(cell.cell.id));
  switch (cell.state) {
  case State::passed:
    return text + "/>\n";
  case State::cannot:
    return text + fmt::format("><skipped message=\"{}\"/></testcase>\n", xml(cell.cause.text));
  case State::failed:
    return text + fmt::format("><failure type=\"{}\" message=\"{}\">{}</failure></testcase>\n",
                              xml(cell.cause.kind), xml(cause_text(cell)), xml(cell.cause.fix));
  default: // not known is not green
    return text +
           fmt::format("><error type=\"{}\" message=\"{}\"/></testcase>\n", to_string(cell.state),
                       xml(cell.cause.kind.empty() ? std::string("there is no result") : cause_text(cell)));
  }
}

std::size_t count_of(const Merged& merged, State state) {
  return static_cast<std::size_t>(std::ranges::count(merged.cells, state, &CellResult::state));
}

/// The state's own word in the colour of a severity.
std::string state_mark(State state) {
  report::Mark mark = report::mark(mood(state));
  mark.word = to_string(state);
  return report::marked(mark);
}

/// Axes that the description has.
std::vector<std::size_t> axes_of(const std::vector<const CellResult*>& cells) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    if (std::ranges::any_of(cells, [&](const CellResult* cell) { return !cell->cell.at[axis].empty(); }))
      axes.push_back(axis);
  return axes;
}

std::string html_row(const CellResult& cell, const std::vector<std::size_t>& axes) {
  std::string row = fmt::format("<tr><th scope=\"row\">{}</th>", report::html(cell.cell.id));
  for (const std::size_t axis : axes)
    row += fmt::format("<td>{}</td>", report::html(cell.cell.at[axis]));
  std::string findings;
  for (const CellFinding& finding : cell.findings)
    findings += fmt::format("{} {}: {}\n", finding.severity, finding.rule, finding.path);
  return row + fmt::format("<td>{}</td><td>{}{}</td></tr>\n", state_mark(cell.state),
                           cell.cause.kind.empty() ? "" : report::html(cause_text(cell)),
                           findings.empty() ? ""
                                            : "<details><summary>findings</summary><pre>" +
                                                  report::html_lines(findings) + "</pre></details>");
}

struct Group {
  State state;
  std::string kind;
  std::vector<const CellResult*> cells;
};

/// Cells by state and cause, in the order in which people look for them.
std::vector<Group> groups_of(const Merged& merged) {
  std::vector<Group> groups;
  for (const State state : shown_states) {
    std::map<std::string, std::vector<const CellResult*>> by_kind;
    for (const CellResult& cell : merged.cells)
      if (cell.state == state)
        by_kind[cell.cause.kind].push_back(&cell);
    for (auto& [kind, cells] : by_kind)
      groups.push_back({state, kind, std::move(cells)});
  }
  return groups;
}

std::string group_section(const Group& group, std::size_t number) {
  std::string rows;
  const auto axes = axes_of(group.cells);
  for (const CellResult* const cell : group.cells)
    rows += html_row(*cell, axes);
  std::vector<const char*> names{"cell"};
  for (const std::size_t axis : axes)
    names.push_back(axis_names[axis].data());
  names.push_back("state");
  names.push_back("cause");
  const std::string title = group.kind.empty() ? std::string(to_string(group.state))
                                               : fmt::format("{}: {}", to_string(group.state), group.kind);
  const CauseRow* const row = cause_of_kind(group.kind);
  std::string text;
  if (row != nullptr)
    text = fmt::format("<p>{}.{}</p>", report::html(row->meaning),
                       row->fix.empty() ? "" : " Fix: " + report::html(row->fix) + '.');
  return report::section(fmt::format("group-{}", number), title,
                         text +
                             report::table("class=\"list\"", title, title, report::columns_of(names), rows));
}

} // namespace

std::string junit_xml(const Merged& merged) {
  const std::size_t failed = count_of(merged, State::failed), skipped = count_of(merged, State::cannot);
  const std::size_t errors = merged.cells.size() - failed - skipped - count_of(merged, State::passed);
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{}\" "
                  "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
                  xml(merged.name), merged.cells.size(), failed, errors, skipped);
  for (const CellResult& cell : merged.cells)
    text += junit_case(cell);
  return text + "  </testsuite>\n</testsuites>\n";
}

std::string sarif_json(const Merged& merged, const std::string& version) {
  Json rules = Json::array(), results = Json::array();
  for (const CauseRow& row : causes()) {
    Json rule{{"id", row.kind}, {"shortDescription", {{"text", row.meaning}}}};
    if (!row.fix.empty())
      rule["help"] = {{"text", row.fix}};
    rules.push_back(std::move(rule));
  }
  for (const CellResult& cell : merged.cells) {
    if (cell.state == State::passed || cell.cause.kind.empty())
      continue;
    results.push_back(
        {{"ruleId", cell.cause.kind},
         {"level", cell.state == State::failed   ? "error"
                   : cell.state == State::cannot ? "note"
                                                 : "warning"},
         {"message", {{"text", cell.cell.id + ": " + cause_text(cell)}}},
         {"locations", Json::array({{{"logicalLocations", Json::array({{{"fullyQualifiedName", cell.cell.id},
                                                                        {"kind", "cell"}}})}}})}});
  }
  return json_text(
      {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
       {"version", "2.1.0"},
       {"runs",
        Json::array(
            {{{"tool", {{"driver", {{"name", "hostpin matrix"}, {"version", version}, {"rules", rules}}}}},
              {"results", results}}})}});
}

std::string html_page(const Merged& merged, const std::string& version) {
  std::string links, body, facts;
  std::size_t number = 0;
  for (const Group& group : groups_of(merged)) {
    body += group_section(group, number);
    const std::string name = group.kind.empty() ? std::string(to_string(group.state)) : group.kind;
    links += fmt::format("<li><a href=\"#group-{}\">{}</a></li>", number, report::html(name));
    facts += fmt::format("<li><a href=\"#group-{}\">{}</a> {} {}</li>\n", number, state_mark(group.state),
                         report::counted(group.cells.size(), "cell"),
                         group.kind.empty() ? "" : report::html(group.kind));
    ++number;
  }
  const std::string title =
      merged.name.empty() ? "hostpin: matrix" : "hostpin: matrix " + report::html(merged.name);
  return report::filled(report::page_html, {{"title", title},
                                            {"version", report::html(version)},
                                            {"style", std::string(report::page_css)},
                                            {"style-hash", std::string(report::page_css_hash)},
                                            {"script", std::string(report::page_js)},
                                            {"script-hash", std::string(report::page_js_hash)},
                                            {"facts", "<ul class=\"facts\">\n" + facts + "</ul>"},
                                            {"links", links},
                                            {"sections", body},
                                            {"data", "{\"rules\":[],\"fixes\":[],\"rows\":[]}"}});
}

} // namespace hostpin::matrix
