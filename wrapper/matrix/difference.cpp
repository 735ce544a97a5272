// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/merge.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>

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

} // namespace hostpin::matrix
