// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/finding/sarif.hpp"
#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/merge.hpp"
#include "wrapper/report/html.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

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
  finding::SarifLog log{
      "hostpin matrix", version, {}, {}, std::nullopt, 1, "https://json.schemastore.org/sarif-2.1.0.json"};
  for (const CauseRow& row : causes())
    log.rules.push_back({row.kind, row.meaning, row.fix, {}});
  for (const CellResult& cell : merged.cells) {
    if (cell.state == State::passed || cell.cause.kind.empty())
      continue;
    finding::SarifResult one;
    one.rule = cell.cause.kind;
    one.level = cell.state == State::failed ? "error" : cell.state == State::cannot ? "note" : "warning";
    one.message = cell.cell.id + ": " + cause_text(cell);
    one.name = cell.cell.id;
    one.kind = "cell";
    log.results.push_back(std::move(one));
  }
  return sarif_text(log);
}

} // namespace hostpin::matrix
