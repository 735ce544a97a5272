// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/finding.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

Finding sample() {
  Finding finding;
  finding.rule = Rule::forbidden_reference;
  finding.severity = Severity::warning;
  finding.where = {"lib/libx.a", {"y.o"}, ".rodata", 4096};
  finding.reference = "/opt/gcc-11/lib";
  return finding;
}

} // namespace

TEST_CASE("every rule has a unique name that finds it, and explains what is wrong and what to do") {
  std::set<std::string_view> names;
  for (const RuleText& text : rules()) {
    CAPTURE(text.name);
    CHECK(names.insert(text.name).second);
    CHECK(rule_named(text.name) == text.rule);
    CHECK(&text_of(text.rule) == &text);
    CHECK(text.explanation.ends_with('.'));
    CHECK(text.fix.ends_with('.'));
  }
  CHECK(names.size() == 22);
  CHECK_FALSE(rule_named("forbidden"));
  CHECK_FALSE(rule_named(""));
}

TEST_CASE("a fingerprint does not change with a rebuild, and differs between findings") {
  const std::string print = fingerprint(sample());
  CHECK(print.size() == 16);
  CHECK(print.find_first_not_of("0123456789abcdef") == std::string::npos);
  Finding moved = sample();
  moved.where.offset = 8192;
  moved.severity = Severity::error;
  moved.resolved = "/opt/gcc-11/lib/libstdc++.so.6";
  CHECK(fingerprint(moved) == print);

  std::set<std::string> prints = {print};
  const auto differs = [&](auto change) {
    Finding other = sample();
    change(other);
    CHECK(prints.insert(fingerprint(other)).second);
  };
  differs([](Finding& finding) { finding.rule = Rule::build_directory; });
  differs([](Finding& finding) { finding.where.path = "lib/libz.a"; });
  differs([](Finding& finding) { finding.where.member = {"z.o"}; });
  differs([](Finding& finding) { finding.where.member = {}; });
  differs([](Finding& finding) { finding.where.section = ".data"; });
  differs([](Finding& finding) { finding.reference = "/opt/gcc-11/lib64"; });
  // The same letters, divided in another way.
  differs([](Finding& finding) { finding.where.path = "lib/libx.ay.o", finding.where.member = {}; });
}

TEST_CASE("fingerprints are the same in every release") {
  CHECK(fingerprint(sample()) == "ff69e35a816026ec");
}

TEST_CASE("the same path in two trees is two locations, and a store hash is not part of a tree's name") {
  Finding here = sample();
  Finding there = sample();
  here.where.tree = "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-x-1/";
  there.where.tree = "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-x-1-dev";
  CHECK(fingerprint(here) != fingerprint(sample()));
  CHECK(fingerprint(here) != fingerprint(there));
  Finding rebuilt = there;
  rebuilt.where.tree = "/nix/store/zyxwvsrqpnmlkjihgfdcba9876543210-x-1-dev";
  CHECK(fingerprint(rebuilt) == fingerprint(there));
  CHECK(whole_path(here.where) == "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-x-1/lib/libx.a");
  CHECK(whole_path({"x", {}, {}, {}, "a"}) == "a/x");
  CHECK(whole_path({"x", {}, {}, {}, "/"}) == "/x");
  CHECK(whole_path({"x", {}, {}, {}}) == "x");
  CHECK(shown({"x", {"y"}, {}, {}, "a\n"}) == "a\\n/x(y)");
  Findings both{{here, there}, {}};
  both.sort();
  CHECK(both.found[0] == there);
}

TEST_CASE("a location is printed on one line") {
  CHECK(shown(sample().where) == "lib/libx.a(y.o)");
  CHECK(shown({"a\nb\x1b[31m", {"c(1).o", "d"}, {}, {}}) == "a\\nb\\x1b[31m(c(1).o)(d)");
}

TEST_CASE(
    "findings are sorted by severity, then location, and each is there once, however they came together") {
  const auto graded = [](Severity severity, const char* path) {
    Finding finding = sample();
    finding.severity = severity;
    finding.where.path = path;
    return finding;
  };
  const Finding note = graded(Severity::note, "a"), error = graded(Severity::error, "z"),
                earlier = graded(Severity::error, "b");
  Finding outer = earlier, deeper = earlier, longer = earlier, without = earlier;
  outer.where.member = {};
  deeper.where.member = {"y.o", "a"};
  longer.where.member = {"y.oo"};
  without.where.offset = std::nullopt;
  Findings all{{note, error, longer, earlier, deeper, error, outer, without}, {}, 2, 20};
  all.unseen = {{{"q", {}, {}, {}}, "it is a FIFO"}, {{"p", {}, {}, {}}, "permission denied"}};
  all.sort();
  CHECK(all.found == std::vector<Finding>{outer, without, earlier, deeper, longer, error, note});
  CHECK(all.unseen[0].where.path == "p");
  CHECK(all.count(Severity::error) == 6);
  CHECK(all.most_severe() == Severity::error);
  CHECK_FALSE(Findings{}.most_severe());
}
