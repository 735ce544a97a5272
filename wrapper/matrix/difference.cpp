// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/json.hpp"
#include "wrapper/matrix/merge.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

constexpr std::array<std::string_view, 7> kind_names{"broken",    "fixed", "new",    "gone",
                                                     "undecided", "noise", "changed"};

bool is_bad(const CellResult& result) {
  return result.state == State::failed || result.state == State::cannot;
}

bool is_open(const CellResult& result) {
  return result.state == State::lost || result.state == State::missing;
}

std::vector<CellFinding> added_findings(const CellResult& before, const CellResult& now) {
  std::set<std::string> known;
  for (const CellFinding& finding : before.findings)
    known.insert(finding.fingerprint);
  std::vector<CellFinding> added;
  for (const CellFinding& finding : now.findings)
    if (!known.contains(finding.fingerprint))
      added.push_back(finding);
  return added;
}

/// Names that only the later list has; both are sorted.
std::vector<std::string> added_tests(const CellResult& before, const CellResult& now) {
  std::vector<std::string> added;
  std::ranges::set_difference(now.tests, before.tests, std::back_inserter(added));
  return added;
}

/// Both were measured: how much larger it is, if that is more than the limit of `now`.
std::string growth(const CellResult& before, const CellResult& now) {
  constexpr double whole = 100;
  if (!before.size || !now.size || before.size->bytes == 0 || now.size->bytes <= before.size->bytes)
    return "";
  const double percent = whole * static_cast<double>(now.size->bytes - before.size->bytes) /
                         static_cast<double>(before.size->bytes);
  return percent <= now.size->limit
             ? ""
             : fmt::format("size: {} bytes, {} before: {:.1f} % more, and size_limit is {} %",
                           now.size->bytes, before.size->bytes, percent, now.size->limit);
}

std::optional<Change> difference(const CellResult& before, const CellResult& now) {
  const auto change = [&](Change::Kind kind) { return Change{kind, &before, &now, {}}; };
  if (is_open(now) || is_open(before))
    return is_open(now) && is_open(before) && now.state == before.state
               ? std::nullopt
               : std::optional(change(Change::Kind::undecided));
  if (now.state == State::noise || before.state == State::noise)
    return now.state == before.state ? std::nullopt : std::optional(change(Change::Kind::noise));
  if (is_bad(now) != is_bad(before) && now.key == before.key && !now.key.empty())
    return change(Change::Kind::noise);
  if (is_bad(now) != is_bad(before))
    return change(is_bad(now) ? Change::Kind::broken : Change::Kind::fixed);
  Change other = change(Change::Kind::changed);
  other.new_findings = added_findings(before, now);
  if (before.cause.kind == now.cause.kind)
    other.new_tests = added_tests(before, now);
  other.grown = growth(before, now);
  const bool same_cause = before.cause.kind == now.cause.kind && before.cause.stage == now.cause.stage &&
                          before.state == now.state;
  return same_cause && other.new_findings.empty() && other.new_tests.empty() && other.grown.empty()
             ? std::nullopt
             : std::optional(other);
}

/// The result that a change is shown by.
const CellResult& shown(const Change& change) {
  return change.now != nullptr ? *change.now : *change.before;
}

std::string counted(std::size_t number) {
  return fmt::format("{} cell{}", number, number == 1 ? "" : "s");
}

/// `saxpy_12.4_g++-13, ... and 3 more`.
std::string cells_text(const std::vector<const Change*>& changes) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t index = 0; index < std::min(changes.size(), most); ++index)
    text += "\n    " + shown(*changes[index]).cell.id;
  if (changes.size() > most)
    text += fmt::format("\n    and {} more", changes.size() - most);
  return text;
}

} // namespace

std::string_view to_string(Change::Kind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::vector<Change> differences(const Merged& before, const Merged& now) {
  std::vector<Change> changes;
  for (const CellResult& cell : now.cells)
    if (const CellResult* const earlier = before.cell(cell.cell.id); earlier == nullptr)
      changes.push_back({Change::Kind::new_cell, nullptr, &cell, {}});
    else if (auto change = difference(*earlier, cell))
      changes.push_back(*std::move(change));
  for (const CellResult& cell : before.cells)
    if (now.cell(cell.cell.id) == nullptr)
      changes.push_back({Change::Kind::gone, &cell, nullptr, {}});
  std::ranges::stable_sort(changes, {}, &Change::kind);
  return changes;
}

std::string difference_text(const std::vector<Change>& changes, std::size_t same) {
  // by kind, then by what shows the cause: one line for all cells that it breaks
  std::map<std::tuple<Change::Kind, std::string, std::string>, std::vector<const Change*>> groups;
  for (const Change& change : changes) {
    const Cause& cause = shown(change).cause;
    const std::string state(change.grown.empty() ? to_string(shown(change).state) : "size");
    groups[{change.kind, cause.kind.empty() ? state : cause.kind,
            change.kind == Change::Kind::fixed ? "" : cause.text}]
        .push_back(&change);
  }
  std::string text;
  for (const auto& [key, list] : groups) {
    const auto& [kind, cause, line] = key;
    text += fmt::format("{} ({}): {}\n", to_string(kind), cause, counted(list.size()));
    if (!line.empty())
      text += fmt::format("  {}\n", line);
    if (const std::string& fix = shown(*list.front()).cause.fix; !fix.empty() && kind != Change::Kind::fixed)
      text += fmt::format("  fix: {}\n", fix);
    for (const Change* const change : list)
      if (!change->grown.empty())
        text += fmt::format("  {}: {}\n", shown(*change).cell.id, change->grown);
    text += "  in" + cells_text(list) + '\n';
    for (const CellFinding& finding : list.front()->new_findings)
      text += fmt::format("  new finding: {} {}: {}\n", finding.severity, finding.rule, finding.path);
    for (const std::string& test : list.front()->new_tests)
      text += fmt::format("  fails only now: {}\n", test);
  }
  return text + fmt::format("same: {}\n", counted(same));
}

std::string difference_json(const std::vector<Change>& changes, std::size_t same) {
  Json json{{"kind", "difference"}, {"form", json_form}, {"same", same}, {"changes", Json::array()}};
  for (const Change& change : changes) {
    Json each{{"change", to_string(change.kind)},
              {"cell", shown(change).cell.id},
              {"axes", json_of(shown(change).cell.at)}};
    for (const auto& [name, result] : {std::pair{"before", change.before}, {"now", change.now}})
      each[name] = result == nullptr
                       ? Json()
                       : Json{{"state", to_string(result->state)}, {"cause", result->cause.kind},
                              {"stage", result->cause.stage},      {"text", result->cause.text},
                              {"fix", result->cause.fix},          {"failed_tests", result->tests}};
    each["new_tests"] = change.new_tests;
    each["grown"] = change.grown;
    each["new_findings"] = Json::array();
    for (const CellFinding& finding : change.new_findings)
      each["new_findings"].push_back(
          {{"rule", finding.rule}, {"severity", finding.severity}, {"path", finding.path}});
    json["changes"].push_back(std::move(each));
  }
  return json_text(json);
}

} // namespace hostpin::matrix
