// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/matrix/comment/outside.hpp"
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/comment/markdown.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin::matrix;
using namespace hostpin::matrix::test;

namespace {

CauseGroup group(Change::Kind change, const std::string& cause, const std::string& text,
                 std::size_t cells = 1) {
  CauseGroup group;
  group.change = change;
  group.cause = cause;
  group.stage = "build";
  group.text = text;
  for (std::size_t number = 0; number < cells; ++number)
    group.cells.push_back(sample_result("p" + std::to_string(number), State::failed).cell);
  return group;
}

Comparison comparison(std::vector<CauseGroup> groups) {
  Comparison comparison;
  comparison.name = "nightly";
  comparison.description = "ci/matrix.toml";
  comparison.plan = std::string(64, 'a');
  comparison.same = 7;
  comparison.groups = std::move(groups);
  return comparison;
}

/// Everything that strangers' code can write is this text.
Comparison hostile_comparison(const std::string& text) {
  CauseGroup one = group(Change::Kind::broken, text, text);
  one.stage = one.fix = text;
  one.details = {text, text};
  one.place = SourcePlace{text, 1, 2};
  one.source = ChangedLines{{text, 3, 0}, text, text, {text}, {text, text}};
  one.cells.front().id = text;
  Comparison all = comparison({one});
  all.name = all.plan = text;
  return all;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++number;
  return number;
}

} // namespace

TEST_CASE("a comment has the verdict, then each cause with its line, what changed, and a command") {
  CauseGroup one = group(Change::Kind::broken, "gate", "$SOURCE/a.cu:3:1: error: no", 2);
  one.source = ChangedLines{{"src/a.cu", 3, 0}, std::string(40, 'c'), "Use it", {"old"}, {"new"}};
  const std::string text = markdown(comparison({group(Change::Kind::undecided, "missing", ""), one}));
  CHECK(text.starts_with("<!-- hostpin matrix "));
  CHECK(text.find(" plan " + std::string(64, 'a') +
                  " -->\n### hostpin matrix `nightly`\n\n**2 cells broken. 1 cell "
                  "not known. 0 fixed, 0 new, 0 gone, 7 the same.**\n") != std::string::npos);
  std::size_t at = 0;
  for (const char* const part :
       {"#### 1. broken: gate (build), 2 cells", "```text\n$SOURCE/a.cu:3:1: error: no\n```",
        "Changed by commit cccccccccccc:\n\n```diff\n@@ src/a.cu:3 @@ Use it\n-old\n+new\n```",
        "```sh\nhostpin matrix plan ci/matrix.toml -o plan && hostpin matrix run plan --cell=p0_12.4_g++-13 "
        "-o "
        "result.json\n```",
        "p1_12.4_g++-13", "#### 2. not known: missing"}) {
    CAPTURE(part);
    at = text.find(part, at);
    REQUIRE(at != std::string::npos);
  }
}

TEST_CASE("comments of one matrix begin in the same way, whatever its plan, and those of others do not") {
  Comparison one = comparison({}), other = one;
  other.plan.clear();
  other.name = "x";
  CHECK(comment_marker(one) == comment_marker(other));
  CHECK(markdown(other).starts_with(comment_marker(one) + " plan unknown -->\n"));
  other.description = "matrix.toml";
  CHECK(comment_marker(one) != comment_marker(other));
}

TEST_CASE("text of others is in blocks of code only, and ends none of them") {
  const std::string frame = outside_blocks(markdown(hostile_comparison("x")));
  for (const char* const text : hostile) {
    CAPTURE(text);
    const std::string shown = markdown(hostile_comparison(text));
    std::string outside = outside_blocks(shown);
    CHECK(outside.size() < shown.size());
    // the same frame as for a harmless text, but for names, commands and longer fences
    for (const char* const part : {"forged", "example.org", "@", "passed", "::", "\x1b", "<h1", "#1", "\xe2"})
      CHECK(outside.find(part) == std::string::npos);
    CHECK(times(outside, "<!--") == 1);
    CHECK(times(outside, "-->") == 1);
    CHECK(times(outside, "#### ") == times(frame, "#### "));
    CHECK(times(outside, "</details>") == 1);
    CHECK(nlohmann::json::parse(comment_request(hostile_comparison(text))).at("body") == shown);
  }
}

TEST_CASE("a command has no identifier that a shell reads as more than one word") {
  for (const char* const text : hostile) {
    CAPTURE(text);
    const Comparison all = hostile_comparison(text);
    CHECK(reproduction(all, all.groups.front()).empty());
  }
  Comparison all = comparison({group(Change::Kind::broken, "gate", "x")});
  all.description = "it's $HOME/a matrix.toml";
  CHECK(reproduction(all, all.groups.front()).find(" 'it'\\''s $HOME/a matrix.toml' ") != std::string::npos);
  for (const char* const path : {"a\nb", "-x", "a\x1b"}) {
    all.description = path;
    CHECK(reproduction(all, all.groups.front()).empty());
  }
  all.description.clear(); // of results without a plan
  CHECK(reproduction(all, all.groups.front()) ==
        "hostpin matrix run PLAN --cell=p0_12.4_g++-13 -o result.json");
}

TEST_CASE("a comment has at most 60 KB, and names how many causes it leaves out") {
  std::vector<CauseGroup> groups;
  for (int number = 0; number < 500; ++number) {
    groups.push_back(
        group(Change::Kind::broken, "error", std::string(3000, '`') + std::to_string(number), 40));
    groups.back().details.assign(100, std::string(3000, '\x01'));
  }
  const std::string text = markdown(comparison(groups));
  CHECK(text.size() <= longest_comment);
  CHECK(text.size() > longest_comment / 2);
  CHECK(text.find(" causes more: ") != std::string::npos);
  CHECK(outside_blocks(text).find("causes more") != std::string::npos); // no block is cut
}

TEST_CASE("annotations are at most ten errors and ten warnings, a line each") {
  std::vector<CauseGroup> groups;
  for (int number = 0; number < 30; ++number)
    groups.push_back(group(number % 2 == 0 ? Change::Kind::broken : Change::Kind::undecided, "error", "x"));
  groups.front().place = SourcePlace{"a,b:c%.cu", 3, 7};
  const std::string text = annotations(comparison(groups), Service::github);
  CHECK(times(text, "\n") == 20);
  CHECK(times(text, "::error ") == 10);
  CHECK(text.starts_with("::error file=a%2Cb%3Ac%25.cu,line=3,col=7,title=matrix%3A error%2C 1 cell::x%0A"));
}

TEST_CASE("text of others starts no command of a workflow") {
  for (const char* const text : hostile) {
    CAPTURE(text);
    const std::string lines = annotations(hostile_comparison(text), Service::forgejo);
    CHECK(times(lines, "\n") == 1);
    CHECK(lines.find('\r') == std::string::npos);
    CHECK(lines.starts_with("::error "));
    // a path is escaped as a property, and all else before the second :: is hostpin's own
    CHECK(lines.substr(0, lines.find("::", 2)).ends_with("title=matrix%3A unknown cause%2C 1 cell"));
  }
}

TEST_CASE("annotations of GitLab have a place in a file and a fingerprint that stays") {
  CauseGroup one = group(Change::Kind::broken, "error", "x");
  one.place = SourcePlace{"src/a.cu", 3, 7};
  const auto json = nlohmann::json::parse(
      annotations(comparison({one, group(Change::Kind::broken, "test", "y")}), Service::gitlab));
  REQUIRE(json.size() == 1);
  CHECK(json[0].at("location").at("path") == "src/a.cu");
  CHECK(json[0].at("location").at("lines").at("begin") == 3);
  one.cells.push_back(one.cells.front());
  const auto more = nlohmann::json::parse(annotations(comparison({one}), Service::gitlab));
  CHECK(json[0].at("fingerprint") == more[0].at("fingerprint"));
}
