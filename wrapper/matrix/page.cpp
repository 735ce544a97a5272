// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/page.hpp"

#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/merge.hpp"
#include "wrapper/report/html.hpp"
#include "wrapper/report/sections.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

/// What a cell is on the page: how it changed, or its state if it is as before. In the order in which people
/// look for them. `mood`: the severity whose colour and sign it has.
struct Heading {
  std::string_view word, mood;
  bool is_change;
};
constexpr std::array<Heading, 13> headings{{{"broken", "error", true},
                                            {"changed", "error", true},
                                            {"noise", "warning", true},
                                            {"undecided", "warning", true},
                                            {"new", "note", true},
                                            {"gone", "note", true},
                                            {"fixed", "ok", true},
                                            {"failed", "error", false},
                                            {"noise", "warning", false},
                                            {"lost", "warning", false},
                                            {"missing", "warning", false},
                                            {"cannot", "note", false},
                                            {"passed", "ok", false}}};

std::size_t heading_of(std::string_view word, bool is_change) {
  const auto* const found = std::ranges::find_if(
      headings, [&](const Heading& each) { return each.word == word && each.is_change == is_change; });
  return static_cast<std::size_t>(found - headings.begin());
}

/// The heading's own word, in the colour of its severity.
report::Mark mark_of(const Heading& heading) {
  report::Mark mark = report::mark(heading.mood);
  mark.word = heading.word;
  return mark;
}

const Heading& heading_of(State state) {
  return headings[heading_of(to_string(state), false)];
}

struct Row {
  const CellResult* cell;   ///< as it is now; of one that is gone, as it was
  const CellResult* before; ///< null: new, or nothing to compare with
};

/// Cells that changed in the same way, or are in the same state, for causes of one kind.
struct Group {
  std::size_t heading;
  std::string kind;
  std::vector<Row> rows;
};

/// What a cell is grouped by: of one that works again, what was wrong with it.
const std::string& kind_of(const Change* change, const CellResult& cell) {
  return change != nullptr && change->kind == Change::Kind::fixed ? change->before->cause.kind
                                                                  : cell.cause.kind;
}

std::vector<Group> groups_of(const Merged* before, const Merged& now, const std::vector<Change>& changes) {
  std::map<std::pair<std::size_t, std::string>, Group> groups;
  std::map<std::string_view, const Change*> changed;
  const auto add = [&](const CellResult& cell, const CellResult* earlier, const Change* change) {
    const std::size_t heading = change != nullptr ? heading_of(to_string(change->kind), true)
                                                  : heading_of(to_string(cell.state), false);
    const std::string& kind = kind_of(change, cell);
    Group& group = groups.try_emplace({heading, kind}, Group{heading, kind, {}}).first->second;
    group.rows.push_back({&cell, earlier});
  };
  for (const Change& change : changes)
    if (change.now == nullptr)
      add(*change.before, change.before, &change);
    else
      changed.emplace(change.now->cell.id, &change);
  for (const CellResult& cell : now.cells) {
    const auto change = changed.find(cell.cell.id);
    add(cell, before == nullptr ? nullptr : before->cell(cell.cell.id),
        change == changed.end() ? nullptr : change->second);
  }
  std::vector<Group> all;
  for (auto& [key, group] : groups) {
    std::ranges::stable_sort(group.rows, {}, [](const Row& row) {
      return std::tie(row.cell->cause.stage, row.cell->cause.text, row.cell->cell.id);
    });
    all.push_back(std::move(group));
  }
  // the cause of most cells first
  std::ranges::stable_sort(all, [](const Group& one, const Group& other) {
    return std::pair(one.heading, other.rows.size()) < std::pair(other.heading, one.rows.size());
  });
  return all;
}

std::string cause_line(const CellResult& cell) {
  return cell.cause.kind.empty() ? "" : fmt::format("{}: {}", cell.cause.stage, cell.cause.text);
}

std::string before_text(const Row& row) {
  if (row.before == nullptr)
    return {};
  const std::string cause = cause_line(*row.before);
  return std::string(to_string(row.before->state)) + (cause.empty() ? "" : ", " + cause);
}

std::string details_text(const CellResult& cell) {
  std::string text;
  for (const std::string& test : cell.tests)
    text += fmt::format("failed: {}\n", test);
  for (const CellFinding& finding : cell.findings)
    text += fmt::format("{} {}: {}\n", finding.severity, finding.rule, finding.path);
  return text;
}

/// What the rows have.
struct Columns {
  std::vector<std::size_t> axes; ///< those that the description has
  bool has_before = false;

  std::vector<const char*> names() const {
    std::vector<const char*> names{"cell"};
    for (const std::size_t axis : axes)
      names.push_back(axis_names[axis].data());
    names.insert(names.end(), {"state", "cause"});
    if (has_before)
      names.push_back("before");
    return names;
  }
};

Columns columns_of(const std::vector<Group>& groups, bool has_before) {
  Columns columns{{}, has_before};
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    if (std::ranges::any_of(groups, [&](const Group& group) {
          return std::ranges::any_of(group.rows,
                                     [&](const Row& row) { return !row.cell->cell.at[axis].empty(); });
        }))
      columns.axes.push_back(axis);
  return columns;
}

std::string group_title(const Group& group) {
  return report::marked(mark_of(headings[group.heading])) +
         (group.kind.empty() ? "" : fmt::format(" <code>{}</code>", report::html(group.kind)));
}

std::string group_row(const Group& group, const Columns& columns) {
  return fmt::format("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">{} {}</th></tr>\n",
                     columns.names().size(), group_title(group), report::counted(group.rows.size(), "cell"));
}

std::string cell_row(const Row& row, const Columns& columns) {
  const CellResult& cell = *row.cell;
  std::string text = fmt::format("<tr><th scope=\"row\">{}</th>", report::html(cell.cell.id));
  for (const std::size_t axis : columns.axes)
    text += fmt::format("<td>{}</td>", report::html(cell.cell.at[axis]));
  const std::string details = details_text(cell);
  text += fmt::format("<td>{}</td><td class=\"line\">{}{}</td>",
                      report::marked(mark_of(heading_of(cell.state))), report::html(cause_line(cell)),
                      details.empty() ? ""
                                      : "<details><summary>details</summary><pre>" +
                                            report::html_lines(details) + "</pre></details>");
  if (columns.has_before)
    text += fmt::format("<td class=\"line\">{}</td>", report::html(before_text(row)));
  return text + "</tr>\n";
}

/// A row for each group: what it is, how many cells, what the cause means.
std::string causes_section(const std::vector<Group>& groups) {
  std::string rows;
  for (const Group& group : groups) {
    const CauseRow* const row = cause_of_kind(group.kind);
    const std::string line = cause_line(*group.rows.front().cell);
    rows += fmt::format("<tr><td>{}</td><th scope=\"row\"><code>{}</code></th><td "
                        "class=\"number\">{}</td><td>{}{}{}</td></tr>\n",
                        report::marked(mark_of(headings[group.heading])), report::html(group.kind),
                        report::counted(group.rows.size()), row == nullptr ? "" : report::html(row->meaning),
                        row == nullptr || row->fix.empty()
                            ? ""
                            : fmt::format("<span class=\"fix\">Fix: {}</span>", report::html(row->fix)),
                        line.empty() ? ""
                                     : fmt::format("<span class=\"fix path\">{}</span>", report::html(line)));
  }
  return report::section(
      "causes", "Causes",
      report::table("class=\"list\"", "Causes",
                    "Cells by what happened to them, changes first; the line is that of the first one.",
                    report::columns_of({"Cells are", "Cause", "Cells", "What it means"}), rows));
}

/// The script shows it.
std::string controls(const std::vector<Group>& groups) {
  std::string options = "<option value=\"\">all causes</option>";
  for (std::size_t number = 0; number < groups.size(); ++number)
    options += fmt::format("<option value=\"{}\">{}{}{} ({})</option>", number,
                           headings[groups[number].heading].word, groups[number].kind.empty() ? "" : ": ",
                           report::html(groups[number].kind), report::counted(groups[number].rows.size()));
  return "<form id=\"controls\" class=\"controls\" hidden>\n<label>Search <input type=\"search\" "
         "id=\"search\" "
         "placeholder=\"toolkit, compiler, line\" autocomplete=\"off\"></label>\n<label>Cause <select "
         "id=\"group\">" +
         options + "</select></label>\n</form>\n";
}

std::string cells_section(const std::vector<Group>& groups, const Columns& columns) {
  std::size_t count = 0, shown = 0;
  std::string rows;
  for (const Group& group : groups) {
    count += group.rows.size();
    if (shown < report::static_findings)
      rows += group_row(group, columns);
    for (auto row = group.rows.begin(); row != group.rows.end() && shown < report::static_findings;
         ++row, ++shown)
      rows += cell_row(*row, columns);
  }
  std::string text =
      controls(groups) + "<p id=\"cells-status\" class=\"quiet\" role=\"status\"></p>\n" +
      report::table("id=\"cell-table\" class=\"list\"", "Cells", "One row for each cell, by cause.",
                    report::columns_of(columns.names()), rows);
  if (shown < count)
    text += fmt::format("<p id=\"cut\">Without scripts only the first {} of {} cells are shown.</p>\n",
                        report::counted(shown), report::counted(count));
  return report::section("cells", "Cells",
                         text +
                             "<nav id=\"pager\" class=\"pager\" aria-label=\"Pages of cells\" "
                             "hidden><button type=\"button\" id=\"previous\">Previous</button> <span "
                             "id=\"page\"></span> <button type=\"button\" id=\"next\">Next</button></nav>\n");
}

/// Each text once, known by its number.
class Texts {
public:
  std::size_t number(const std::string& text) {
    const auto [found, is_new] = numbers_.emplace(text, numbers_.size());
    if (is_new)
      list_ += (list_.empty() ? "" : ",\n") + report::script_string(text);
    return found->second;
  }
  const std::string& list() const { return list_; }

private:
  std::map<std::string, std::size_t> numbers_;
  std::string list_;
};

std::string mark_data(const Heading& heading) {
  const report::Mark mark = mark_of(heading);
  return fmt::format("{},{},{}", report::script_string(mark.style), report::script_string(mark.sign),
                     report::script_string(mark.word));
}

/// All cells for the script, which shows them page by page. A row: number of its group, name, state, texts.
std::string cells_data(const std::vector<Group>& groups, const Columns& columns) {
  Texts texts;
  std::string group_list, state_list, rows;
  for (const State state :
       {State::passed, State::failed, State::cannot, State::lost, State::missing, State::noise})
    state_list += fmt::format("{}[{}]", state_list.empty() ? "" : ",", mark_data(heading_of(state)));
  for (std::size_t number = 0; number < groups.size(); ++number) {
    const Group& group = groups[number];
    group_list += fmt::format("{}[{},{},{}]", number == 0 ? "" : ",\n", mark_data(headings[group.heading]),
                              report::script_string(group.kind), group.rows.size());
    for (const Row& row : group.rows) {
      rows += fmt::format("{}[{},{},{},{},{},{}", rows.empty() ? "" : ",\n", number,
                          report::script_string(row.cell->cell.id), static_cast<int>(row.cell->state),
                          texts.number(cause_line(*row.cell)), texts.number(details_text(*row.cell)),
                          columns.has_before ? texts.number(before_text(row)) : texts.number(""));
      for (const std::size_t axis : columns.axes)
        rows += fmt::format(",{}", texts.number(row.cell->cell.at[axis]));
      rows += ']';
    }
  }
  return fmt::format(
      "{{\"before\":{},\"groups\":[{}],\n\"states\":[{}],\n\"texts\":[{}],\n\"cells\":[\n{}]}}",
      columns.has_before, group_list, state_list, texts.list(), rows);
}

/// How many cells are under each heading.
std::string facts(const std::vector<Group>& groups) {
  std::array<std::size_t, headings.size()> counts{};
  for (const Group& group : groups)
    counts[group.heading] += group.rows.size();
  std::string items;
  for (std::size_t heading = 0; heading < headings.size(); ++heading)
    if (counts[heading] > 0)
      items +=
          fmt::format("<li><a href=\"#causes\">{}</a> {}</li>\n", report::marked(mark_of(headings[heading])),
                      report::counted(counts[heading], "cell"));
  return "<ul class=\"facts\">\n" + items + "</ul>";
}

} // namespace

std::string html_page(const Merged* before, const Merged& now, const std::string& version) {
  const auto changes = before == nullptr ? std::vector<Change>() : differences(*before, now);
  const auto groups = groups_of(before, now, changes);
  const Columns columns = columns_of(groups, before != nullptr);
  return report::filled(
      report::page_html,
      {{"title", now.name.empty() ? "hostpin: matrix" : "hostpin: matrix " + report::html(now.name)},
       {"version", report::html(version)},
       {"style", std::string(report::page_css)},
       {"style-hash", std::string(report::page_css_hash)},
       {"script", std::string(report::page_js)},
       {"script-hash", std::string(report::page_js_hash)},
       {"facts", facts(groups)},
       {"links", "<li><a href=\"#causes\">Causes</a></li><li><a href=\"#cells\">Cells</a></li>"},
       {"sections", causes_section(groups) + cells_section(groups, columns)},
       {"data", cells_data(groups, columns)}});
}

} // namespace hostpin::matrix
