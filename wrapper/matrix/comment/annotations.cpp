// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/unicode.hpp"
#include "wrapper/matrix/comment/markdown.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

bool is_error(const CauseGroup& group) {
  return group.change == Change::Kind::broken || group.change == Change::Kind::changed;
}

/// Where people see it: at the error, else at the change; null: nowhere.
const SourcePlace* place_of(const CauseGroup& group) {
  for (const SourcePlace* const place :
       {group.place ? &*group.place : nullptr, group.source ? &group.source->place : nullptr})
    if (place != nullptr && !place->path.empty() && escaped(place->path) == place->path)
      return place;
  return nullptr;
}

std::string title_of(const CauseGroup& group) {
  return fmt::format("matrix: {}, {} cell{}", known_cause(group), group.cells.size(),
                     group.cells.size() == 1 ? "" : "s");
}

/// Lines: what shows the cause, and the command.
std::string message_of(const Comparison& comparison, const CauseGroup& group) {
  constexpr std::size_t longest = 400;
  const std::string command = reproduction(comparison, group);
  const std::string text = shown_line(group.text, longest);
  return (text.empty() ? std::string(to_string(group.change)) : text) +
         (command.empty() ? "" : "\nReproduce: " + command);
}

/// Text of a workflow command, as GitHub's runner reads it (github.com/actions/toolkit, core/src/command.ts).
std::string command_text(std::string_view text, bool is_property) {
  std::string safe;
  for (const char character : text)
    if (character == '%' || character == '\r' || character == '\n' ||
        (is_property && (character == ':' || character == ',')))
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(character));
    else
      safe += character;
  return safe;
}

std::string workflow_command(const Comparison& comparison, const CauseGroup& group) {
  std::string text = is_error(group) ? "::error " : "::warning ";
  if (const SourcePlace* const place = place_of(group)) {
    text += fmt::format("file={},", command_text(place->path, true));
    if (place->line > 0)
      text += fmt::format("line={},", place->line);
    if (place->column > 0)
      text += fmt::format("col={},", place->column);
  }
  return text + fmt::format("title={}::{}\n", command_text(title_of(group), true),
                            command_text(message_of(comparison, group), false));
}

std::string workflow_commands(const Comparison& comparison) {
  constexpr std::size_t most = 10; // docs.github.com/en/rest/checks/runs: of each level in a step
  std::size_t counts[2] = {};
  std::string text;
  for (const CauseGroup* const group : reported(comparison))
    if (counts[is_error(*group) ? 1 : 0]++ < most)
      text += workflow_command(comparison, *group);
  return text;
}

/// docs.gitlab.com/ci/testing/code_quality: the format of its reports.
std::string code_quality(const Comparison& comparison) {
  Json json = Json::array();
  for (const CauseGroup* const group : reported(comparison)) {
    const SourcePlace* const place = place_of(*group);
    if (place == nullptr)
      continue;
    const std::string shown =
        fmt::format("{}\n{}\n{}\n{}", to_string(group->change), group->cause, group->text, place->path);
    json.push_back(
        {{"description", title_of(*group) + ": " + message_of(comparison, *group)},
         {"check_name", "hostpin-matrix"},
         {"fingerprint", sha256_of(shown)},
         {"severity", is_error(*group) ? "major" : "minor"},
         {"location", {{"path", place->path}, {"lines", {{"begin", std::max(place->line, 1U)}}}}}});
  }
  return json_text(json);
}

} // namespace

std::string annotations(const Comparison& comparison, Service service) {
  return service == Service::gitlab ? code_quality(comparison) : workflow_commands(comparison);
}

} // namespace hostpin::matrix
