// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/comment/comparison.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;
using hostpin::matrix::test::sample_result;

TEST_CASE("a difference is read as it was written") {
  const Merged before = merged(
                   nullptr, {sample_result("a", State::passed, "1"), sample_result("b", State::passed, "1")}),
               now = merged(nullptr, {sample_result("a", State::failed, "2", "gate"),
                                      sample_result("b", State::failed, "2", "gate")});
  const auto changes = differences(before, now);
  Comparison all = comparison_of(changes, 3);
  REQUIRE(all.groups.size() == 1);
  all.name = "n";
  all.description = "m.toml";
  all.plan = "p";
  all.groups.front().place = SourcePlace{"a.cu", 1, 2};
  all.groups.front().source = ChangedLines{{"b.h", 3, 0}, "c", "s", {"-"}, {"+", "+"}};
  const std::string text = difference_json(changes, all);
  const Comparison read = read_difference(text, "x").value();
  CHECK(difference_json(changes, read) == text);
  CHECK(read.groups.front().cells.size() == 2);
  CHECK(read.groups.front().source == all.groups.front().source);
  CHECK(cells_with(read, Change::Kind::broken) == 2);
}

TEST_CASE("a cell whose identifier is not that of its values is refused, and the message is one line") {
  const std::string name = "a_12.4_g++-13", forged = "x\\n::error::forged";
  const auto refused = [&](std::string text, const auto& read) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += forged.size())
      text.replace(at, name.size(), forged);
    const auto result = read(text);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.starts_with("file cannot be read: "));
    CHECK(result.error().message.find('\n') == std::string::npos);
  };
  const Merged all = merged(nullptr, {sample_result("a", State::failed, "k", "test")});
  const auto changes = differences({}, all);
  refused(result_json(all.cells.front()), [](const std::string& text) { return read_result(text, "file"); });
  refused(merged_json(all), [](const std::string& text) { return read_merged(text, "file"); });
  refused(difference_json(changes, comparison_of(changes, 0)),
          [](const std::string& text) { return read_difference(text, "file"); });
}

TEST_CASE("the text of a difference has no line that the programs of cells began") {
  CellResult bad = sample_result("a", State::failed, "2", "test");
  bad.cause.text = "::error::forged\n\x1b[31m##[error]###[x";
  bad.cause.kind = "k\n::error::forged";
  const Merged before = merged(nullptr, {sample_result("a", State::passed, "1")}),
               now = merged(nullptr, {bad});
  const std::string text = difference_text(comparison_of(differences(before, now), 0));
  CHECK(text.starts_with("broken (k\\n::error::forged): 1 cell\n"
                         "  | ::error::forged\\n\\x1b[31m## [error]### [x\n"));
  CHECK(summary(now) == "1 failed (k\\n::error::forged 1)");
}
