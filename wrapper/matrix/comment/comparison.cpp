// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/comparison.hpp"

#include "toolchains/base/json_number.hpp"
#include "toolchains/base/unicode.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

std::string counted(std::size_t number) {
  return fmt::format("{} cell{}", number, number == 1 ? "" : "s");
}

/// The result that a change is shown by.
const CellResult& shown(const Change& change) {
  return change.now != nullptr ? *change.now : *change.before;
}

CauseGroup group_of(const Change& first, const std::string& cause) {
  CauseGroup group;
  group.change = first.kind;
  group.cause = cause;
  if (first.kind != Change::Kind::fixed) {
    group.stage = shown(first).cause.stage;
    group.text = shown(first).cause.text;
    group.fix = shown(first).cause.fix;
  }
  for (const CellFinding& finding : first.new_findings)
    group.details.push_back(
        fmt::format("new finding: {} {}: {}", finding.severity, finding.rule, finding.path));
  for (const std::string& test : first.new_tests)
    group.details.push_back("fails only now: " + test);
  return group;
}

/// A line of a mail has at most 998 bytes (RFC 5322, 2.1.1). GitHub's runner takes `##[` for a workflow
/// command anywhere in a line (github.com/actions/runner, src/Runner.Common/ActionCommand.cs).
std::string text_line(std::string_view text) {
  constexpr std::size_t longest = 800;
  std::string line(text);
  for (std::size_t at = 0; (at = line.find("##[", at)) != std::string::npos;)
    line.insert(at + 2, " ");
  return shown_line(line, longest);
}

/// The same after a bar: the runner also takes `::` at the begin of a line, after blanks, for a command.
std::string quoted_line(std::string_view text) {
  return fmt::format("  | {}\n", text_line(text));
}

std::string group_text(const CauseGroup& group) {
  constexpr std::size_t most = 10;
  std::string text = fmt::format("{} ({}): {}\n", to_string(group.change), text_line(group.cause),
                                 counted(group.cells.size()));
  if (!group.text.empty())
    text += quoted_line(group.text);
  if (!group.fix.empty())
    text += fmt::format("  fix: {}\n", text_line(group.fix));
  if (group.source)
    text += fmt::format("  changed: {}:{}{}{}\n", text_line(group.source->place.path),
                        group.source->place.line, group.source->added.empty() ? "" : ": ",
                        group.source->added.empty() ? "" : text_line(group.source->added.front()));
  for (const std::string& line : group.details)
    text += quoted_line(line);
  text += "  in\n";
  for (std::size_t index = 0; index < std::min(group.cells.size(), most); ++index)
    text += fmt::format("    {}\n", group.cells[index].id);
  if (group.cells.size() > most)
    text += fmt::format("    and {} more\n", group.cells.size() - most);
  return text;
}

Json place_json(const SourcePlace& place) {
  return {{"path", place.path}, {"line", place.line}, {"column", place.column}};
}

SourcePlace place_of(const Json& json) {
  SourcePlace place;
  json.at("path").get_to(place.path);
  place.line = number_of<unsigned>(json.at("line"), "line");
  place.column = number_of<unsigned>(json.at("column"), "column");
  return place;
}

Json group_json(const CauseGroup& group) {
  Json json{{"change", to_string(group.change)},
            {"cause", group.cause},
            {"stage", group.stage},
            {"text", group.text},
            {"fix", group.fix},
            {"cells", Json::array()},
            {"details", group.details}};
  for (const Cell& cell : group.cells)
    json["cells"].push_back({{"id", cell.id}, {"axes", json_of(cell.at)}});
  if (group.place)
    json["place"] = place_json(*group.place);
  if (group.source)
    json["source"] = {{"place", place_json(group.source->place)},
                      {"commit", group.source->commit},
                      {"subject", group.source->subject},
                      {"removed", group.source->removed},
                      {"added", group.source->added}};
  return json;
}

Change::Kind kind_of(const std::string& name, const Json& json) {
  for (const Change::Kind kind : change_kinds)
    if (to_string(kind) == name)
      return kind;
  throw Json::other_error::create(501, "there is no change " + name, &json);
}

CauseGroup group_of(const Json& json) {
  CauseGroup group;
  group.change = kind_of(json.at("change").get<std::string>(), json);
  json.at("cause").get_to(group.cause);
  json.at("stage").get_to(group.stage);
  json.at("text").get_to(group.text);
  json.at("fix").get_to(group.fix);
  for (const Json& cell : json.at("cells"))
    group.cells.push_back(cell_of(cell, "id"));
  if (group.cells.empty())
    throw Json::other_error::create(501, "a cause without cells", &json);
  json.at("details").get_to(group.details);
  if (const auto place = json.find("place"); place != json.end())
    group.place = place_of(*place);
  if (const auto source = json.find("source"); source != json.end()) {
    ChangedLines& lines = group.source.emplace();
    lines.place = place_of(source->at("place"));
    source->at("commit").get_to(lines.commit);
    source->at("subject").get_to(lines.subject);
    source->at("removed").get_to(lines.removed);
    source->at("added").get_to(lines.added);
  }
  return group;
}

Json change_json(const Change& change) {
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
  return each;
}

} // namespace

Comparison comparison_of(const std::vector<Change>& changes, std::size_t same) {
  std::map<std::tuple<Change::Kind, std::string, std::string>, CauseGroup> groups;
  for (const Change& change : changes) {
    const Cause& cause = shown(change).cause;
    const std::string state(change.grown.empty() ? to_string(shown(change).state) : "size");
    const std::string& kind = cause.kind.empty() ? state : cause.kind;
    const std::string line = change.kind == Change::Kind::fixed ? "" : cause.text;
    CauseGroup& group = groups.try_emplace({change.kind, kind, line}, group_of(change, kind)).first->second;
    group.cells.push_back(shown(change).cell);
    if (!change.grown.empty())
      group.details.push_back(fmt::format("{}: {}", shown(change).cell.id, change.grown));
  }
  Comparison comparison;
  comparison.same = same;
  for (auto& [key, group] : groups)
    comparison.groups.push_back(std::move(group));
  return comparison;
}

std::size_t cells_with(const Comparison& comparison, Change::Kind kind) {
  std::size_t count = 0;
  for (const CauseGroup& group : comparison.groups)
    count += group.change == kind ? group.cells.size() : 0;
  return count;
}

std::string shown_line(std::string_view text, std::size_t longest) {
  std::string line = escaped(text.substr(0, longest)); // a character that is cut is escaped
  if (line.size() <= longest && text.size() <= longest)
    return line;
  std::size_t end = std::min(longest, line.size());
  while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80)
    --end;
  line.resize(end);
  return line + "...";
}

std::string difference_text(const Comparison& comparison) {
  std::string text;
  for (const CauseGroup& group : comparison.groups)
    text += group_text(group);
  return text + fmt::format("same: {}\n", counted(comparison.same));
}

std::string difference_json(const std::vector<Change>& changes, const Comparison& comparison) {
  Json json{{"kind", "difference"},    {"form", json_form},
            {"name", comparison.name}, {"description", comparison.description},
            {"plan", comparison.plan}, {"same", comparison.same},
            {"causes", Json::array()}, {"changes", Json::array()}};
  for (const CauseGroup& group : comparison.groups)
    json["causes"].push_back(group_json(group));
  for (const Change& change : changes)
    json["changes"].push_back(change_json(change));
  return json_text(json);
}

Result<Comparison> read_difference(std::string_view text, const std::string& of) {
  return read_json<Comparison>(text, "difference", of, [](const Json& json) {
    Comparison comparison;
    json.at("name").get_to(comparison.name);
    json.at("description").get_to(comparison.description);
    json.at("plan").get_to(comparison.plan);
    comparison.same = number_of<std::size_t>(json.at("same"), "same");
    for (const Json& group : json.at("causes"))
      comparison.groups.push_back(group_of(group));
    return comparison;
  });
}

} // namespace hostpin::matrix
