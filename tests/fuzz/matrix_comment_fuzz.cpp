// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences whose fields were changed, answers of APIs, and texts of git and logs. What is reported of a
// difference has no text of others outside blocks of code, starts no command, and is not too long.
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/structured.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/wrapper/matrix/comment/outside.hpp"
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/comment/answer.hpp"
#include "wrapper/matrix/comment/markdown.hpp"
#include "wrapper/matrix/comment/source.hpp"
#include "wrapper/matrix/notify/subscriptions.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

using namespace hostpin::matrix;
using hostpin::test::Choices;
using hostpin::test::Node;

namespace {

constexpr std::string_view subscriptions =
    R"({"subscriber": [{"name": "a", "mail": "a@example.org", "cells": ["p*"], "causes": ["gate"], "changes": ["broken"]}, {"name": "b"}]})";
constexpr std::string_view answers =
    R"([{"id": 1, "user": {"login": "bot"}, "body": "<!-- x -->"}, {"id": 2, "user": null, "body": "y"}])";
constexpr std::string_view changed = "--- a/x\n+++ b/x\n@@ -1,2 +3,4 @@ f\n-a\n+b\n+c\n@@ -7 +9,0 @@\n-d\n";

/// Its bytes are damaged; of a whole difference the fields are changed.
constexpr std::string_view smallest =
    R"({"kind": "difference", "form": 1, "name": "n", "description": "", "plan": "", "same": 0, "causes": []})";

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// The text of a stranger, which the frame of a comment does not have.
constexpr std::string_view mark = "<STRANGE>";

std::string difference(const std::string& text) {
  const auto result = [&](const char* project, State state, const char* key, const char* cause) {
    CellResult one = test::sample_result(project, state, key, cause);
    one.cause.text = one.cause.text.empty() ? "" : text;
    return one;
  };
  const Merged before = merged(nullptr,
                               {result("p0", State::passed, "1", ""), result("p1", State::passed, "1", ""),
                                result("p2", State::failed, "1", "test")}),
               now = merged(nullptr,
                            {result("p0", State::failed, "2", "gate"), result("p1", State::lost, "2", "disk"),
                             result("p2", State::passed, "2", "")});
  const auto changes = differences(before, now);
  Comparison all = comparison_of(changes, 1);
  all.name = "n";
  all.description = "m.toml";
  all.plan = std::string(64, 'a');
  CauseGroup& group = all.groups.front();
  group.details = {text};
  group.place = SourcePlace{"a.cu", 1, 2};
  group.source = ChangedLines{{"a.cu", 1, 0}, std::string(40, 'c'), text, {text}, {text}};
  return difference_json(changes, all);
}

void report(const Comparison& all) {
  const std::string text = markdown(all), outside = test::outside_blocks(text);
  require(text.size() <= longest_comment && text.starts_with(comment_marker(all)));
  for (const std::string_view part : {mark, std::string_view("@"), std::string_view("::")})
    require(outside.find(part) == std::string::npos);
  require(outside.find("<!--", 1) == std::string::npos);
  require(comment_request(all).find("\"body\"") != std::string::npos);
  const std::string lines = annotations(all, Service::github);
  require(lines.empty() || lines.ends_with('\n'));
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
    require(lines.compare(at, 8, "::error ") == 0 || lines.compare(at, 10, "::warning ") == 0);
  require(annotations(all, Service::gitlab).starts_with('['));
  const std::string plain = difference_text(all);
  require(plain.find('\x1b') == std::string::npos && plain.find("##[") == std::string::npos);
  for (std::size_t at = 0; at < plain.size(); at = plain.find('\n', at) + 1)
    require(plain.compare(plain.find_first_not_of(" \t\r", at), 2, "::") != 0);
}

std::string text_of(const Node& root, std::string_view name) {
  const Node* const found = root.find(name);
  return found == nullptr ? "null" : hostpin::test::json_text(*found);
}

void use_fields(const Node& root) {
  const auto all = read_difference(text_of(root, "difference"), "x");
  if (all)
    report(*all);
  if (const auto answer = answered(text_of(root, "answer"), {"", {{"user.login", "bot"}}, {"id"}}, "x"))
    require(answer->values.size() <= answer->count);
  hostpin::test::FakeFiles files;
  const Node* const rows = root.find("subscriptions");
  files.file("/s.toml", rows == nullptr ? "" : hostpin::test::toml_text(*rows));
  const auto subscribers = read_subscriptions(files, "/s.toml");
  if (!all || !subscribers)
    return;
  for (const Message& message : messages(*subscribers, *all)) {
    const std::string mail = mail_text(message);
    const std::string headers = mail.substr(0, mail.find("\n\n"));
    require(std::ranges::count(headers, '\n') == (message.mail.empty() ? 4 : 5));
  }
}

} // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> inputs = hostpin::test::random_inputs(16, 20);
  inputs.emplace_back(answers);
  inputs.emplace_back(changed);
  inputs.emplace_back("$SOURCE/a.cu(12,3): error");
  inputs.emplace_back(smallest);
  return inputs;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // bytes as they are
  if (const auto all = read_difference(text, "x"))
    require(markdown(*all).size() <= longest_comment);
  if (const auto answer = answered(text, {"", {}, {"id"}}, "x"))
    require(answer->values.size() + answer->skipped.size() <= answer->count);
  if (const auto lines = changed_lines(text, "x", static_cast<unsigned>(size)))
    require(lines->added.size() <= most_changed_lines && lines->removed.size() <= most_changed_lines);
  if (const auto place = place_in_line(text, "src"))
    require(place->line > 0 && !place->path.starts_with("..") && !place->path.starts_with('/'));
  // the same as the text of a stranger, which is marked
  if (text.find('\0') == std::string::npos)
    if (const auto all = read_difference(difference(text + std::string(mark)), "x"))
      report(*all);
  // fields that were changed
  Choices choices(text);
  Node root = hostpin::test::parsed("{\"difference\": " + difference(std::string(mark)) +
                                    ", \"answer\": " + std::string(answers) +
                                    ", \"subscriptions\": " + std::string(subscriptions) + '}');
  for (int count = 0; count < 6 && !choices.empty(); ++count)
    hostpin::test::change(root, choices);
  use_fields(root);
  return 0;
}
