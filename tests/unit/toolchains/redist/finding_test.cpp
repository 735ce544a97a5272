// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/finding.hpp"

#include <set>

#include <doctest/doctest.h>

using namespace hostpin::redist;

TEST_CASE("each rule has a unique name, two sentences and is found by its name") {
  std::set<std::string_view> names;
  CHECK(rules().size() == 51);
  for (const RuleText& rule : rules()) {
    CAPTURE(rule.name);
    CHECK(names.insert(rule.name).second);
    CHECK(rule_named(rule.name) == rule.rule);
    CHECK(rule.explanation.ends_with('.'));
    CHECK(rule.fix.ends_with('.'));
  }
  CHECK_FALSE(rule_named("no-such-rule"));
}

TEST_CASE("a fingerprint stays the same wherever the file is and whatever its lines are") {
  const Finding one = finding(Rule::two_hashes, "/a/cuda/redistrib_1.json", {3, 4}, "path", "text");
  const Finding moved = finding(Rule::two_hashes, "b/cuda/redistrib_1.json", {7, 1}, "path", "other text");
  const Finding other = finding(Rule::two_hashes, "/a/cuda/redistrib_2.json", {3, 4}, "path", "text");
  CHECK(fingerprint(one) == fingerprint(moved));
  CHECK(fingerprint(one) != fingerprint(other));
  CHECK(fingerprint(one).size() == 16);
}

TEST_CASE("findings are sorted by file and position, each once") {
  const Finding first = finding(Rule::wrong_type, "a", {1, 9}, "s", "t"),
                second = finding(Rule::not_json, "a", {2, 1}, "s", "t"),
                third = finding(Rule::not_json, "b", {1, 1}, "s", "t");
  std::vector<Finding> all{third, second, first, second};
  sort(all);
  CHECK(all == std::vector<Finding>{first, second, third});
  CHECK(most_severe(all) == Severity::error);
  CHECK_FALSE(most_severe({}));
}
