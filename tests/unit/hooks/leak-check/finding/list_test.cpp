// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/list.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

Finding graded(Severity severity, std::string path) {
  Finding finding;
  finding.rule = Rule::forbidden_reference;
  finding.severity = severity;
  finding.where = {std::move(path), {"y.o"}, ".rodata", 4096};
  finding.reference = "/opt/gcc-11/lib";
  return finding;
}

std::vector<Finding> all(const FindingList& list) {
  return {list.begin(), list.end()};
}

/// A path of its own for each number, long enough that some hundreds fill a small list.
std::string path(int number) {
  return std::string(500, 'd') + '/' + std::to_string(number);
}

} // namespace

TEST_CASE("a string is kept once, however long it is, and stays where it is") {
  StringPool pool;
  const std::string large(200'000, 'x');
  const StringPool::Id first = pool.add("first"), huge = pool.add(large);
  const std::string_view at = pool.at(first);
  std::vector<StringPool::Id> ids;
  for (int i = 0; i < 20'000; ++i)
    ids.push_back(pool.add("string " + std::to_string(i)));
  const std::size_t bytes = pool.bytes();
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = "string " + std::to_string(i);
    REQUIRE(pool.at(ids[static_cast<std::size_t>(i)]) == text);
    REQUIRE(pool.add(text) == ids[static_cast<std::size_t>(i)]);
  }
  CHECK(pool.bytes() == bytes);
  CHECK(pool.at(huge) == large);
  CHECK(at == "first");
  CHECK(pool.add("") == StringPool::empty);
  CHECK(pool.at(StringPool::empty).empty());
}

TEST_CASE("a list gives back what it was given") {
  Finding whole = graded(Severity::warning, "a");
  whole.where.member = {std::string("\0x", 2), "", "y"};
  whole.where.tree = "/out";
  whole.resolved = "/r";
  whole.explanation = "Why.";
  whole.cure = "Do.";
  Finding bare;
  bare.where.path = "b";
  const FindingList list{whole, bare};
  CHECK(all(list) == std::vector<Finding>{whole, bare});
  CHECK(list.view(0).explanation == "Why.");
  CHECK(list.whole_path_of(0) == "/out/a");
  CHECK(list.is_in_member(0));
  CHECK_FALSE(list.is_in_member(1));
  const UnseenList unseen{{{"p", {"m"}, "s", std::nullopt, "/t"}, "why"}};
  CHECK(unseen[0].where == Location{"p", {"m"}, "s", std::nullopt, "/t"});
  CHECK(unseen[0].reason == "why");
}

TEST_CASE("findings are sorted by gravity, then place, and said once, however they came together") {
  const Finding note = graded(Severity::note, "a");
  const Finding error = graded(Severity::error, "z");
  const Finding earlier = graded(Severity::error, "b");
  Finding outer = earlier, deeper = earlier, longer = earlier;
  outer.where.member = {};
  deeper.where.member = {"y.o", "a"};
  longer.where.member = {"y.oo"};
  Findings one{{note, error, longer, earlier, deeper, error, outer}, {}, 2, 20};
  one.unseen = {{{"q", {}, {}, {}}, "it is a FIFO"}, {{"p", {}, {}, {}}, "permission denied"}};
  one.sort();
  CHECK(all(one.found) == std::vector<Finding>{outer, earlier, deeper, longer, error, note});
  CHECK(one.found.count() == 6);
  CHECK(one.found.left_out() == 0);
  CHECK(one.unseen[0].where.path == "p");
  CHECK(one.gravest() == Severity::error);
  CHECK(one.is_whole());
  CHECK_FALSE(Findings{}.gravest());
}

TEST_CASE("what there is no room for is counted, and leaves room for what is graver") {
  constexpr std::size_t room = std::size_t{1} << 20U;
  FindingList list(room);
  for (int i = 0; i < 5000; ++i)
    list.push_back(graded(Severity::note, path(i)));
  const std::size_t notes = list.size();
  CHECK(notes > 500);
  CHECK(notes < 5000);
  list.push_back(graded(Severity::warning, path(5001)));
  list.push_back(graded(Severity::error, path(5002)));
  CHECK(list.size() == notes + 2);
  CHECK(list.count(Rule::forbidden_reference, Severity::note) == 5000);
  CHECK(list.left_out(Rule::forbidden_reference, Severity::note) == 5000 - notes);
  CHECK(list.left_out(Rule::forbidden_reference, Severity::error) == 0);
  CHECK(list.left_out() == 5000 - notes);
  for (int i = 0; i < 5000; ++i)
    list.push_back(graded(Severity::error, path(6000 + i)));
  CHECK(list.count(Severity::error) == 5001);
  CHECK(list.left_out(Rule::forbidden_reference, Severity::error) > 2000);
  Findings findings;
  findings.found = std::move(list);
  findings.sort();
  CHECK(findings.found[0].severity == Severity::error);
  CHECK(findings.found.count() == 10'002);
  CHECK_FALSE(findings.is_whole());
}

TEST_CASE("the gravest counts whether there was room for it or not") {
  Findings findings;
  findings.found = FindingList(0);
  findings.found.push_back(graded(Severity::warning, "a"));
  CHECK(findings.found.empty());
  CHECK(findings.gravest() == Severity::warning);
}

TEST_CASE("what was not looked at is counted where there is no room for more") {
  UnseenList unseen(std::size_t{1} << 20U);
  for (int i = 0; i < 5000; ++i)
    unseen.push_back({{path(i), {}, {}, {}}, "Permission denied"});
  CHECK(unseen.count() == 5000);
  CHECK(unseen.size() > 500);
  CHECK(unseen.left_out() == 5000 - unseen.size());
  CHECK_FALSE(UnseenList(0).count() > 0);
}
