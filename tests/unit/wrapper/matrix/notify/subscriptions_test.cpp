// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/wrapper/matrix/samples.hpp"
#include "wrapper/matrix/notify/subscriptions.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin::matrix;
using hostpin::matrix::test::sample_result;

namespace {

hostpin::Result<std::vector<Subscriber>> subscribers_of(const std::string& text) {
  hostpin::test::FakeFiles files;
  files.file("/subscribe.toml", text);
  return read_subscriptions(files, "/subscribe.toml");
}

Comparison sample() {
  Comparison comparison;
  comparison.description = "m.toml";
  for (const auto& [kind, cause] : {std::pair{Change::Kind::broken, "gate"},
                                    {Change::Kind::broken, "test"},
                                    {Change::Kind::fixed, "link"}}) {
    CauseGroup group;
    group.change = kind;
    group.cause = cause;
    group.text = "a line\nBcc: forged@example.org";
    for (const char* const name : {"saxpy", "other"})
      group.cells.push_back(sample_result(name, State::failed).cell);
    comparison.groups.push_back(group);
  }
  return comparison;
}

std::string told(const std::string& conditions) {
  std::string text;
  for (const Message& message :
       messages(subscribers_of("[[subscriber]]\nname = \"a\"\n" + conditions).value(), sample()))
    text += std::to_string(message.cells) + ' ' + message.subject;
  return text;
}

} // namespace

TEST_CASE("a subscriber gets what all conditions hold for, and no message without that") {
  CHECK(told("") == "4 hostpin matrix: 4 broken");
  CHECK(told("causes = [\"gate\"]") == "2 hostpin matrix: 2 broken");
  CHECK(told("cells = [\"saxpy_*\", \"x\"]") == "2 hostpin matrix: 2 broken");
  CHECK(told("project = [\"other\"]\nchanges = [\"broken\", \"fixed\"]") ==
        "3 hostpin matrix: 2 broken, 1 fixed");
  CHECK(told("toolkit = [\"13.0\"]").empty());
  CHECK(told("causes = [\"link\"]").empty()); // that is fixed
}

TEST_CASE("a mail has no header that a cell wrote") {
  const auto list =
      messages(subscribers_of("[[subscriber]]\nname = \"a\"\nmail = \"a@example.org\"\n").value(), sample());
  REQUIRE(list.size() == 1);
  const std::string mail = mail_text(list.front());
  CHECK(mail.starts_with("To: a@example.org\nSubject: hostpin matrix: 4 broken\n"));
  CHECK(mail.find("\nBcc") == std::string::npos);
  CHECK(mail.find("  | a line\\nBcc: forged@example.org\n") != std::string::npos);
  CHECK(
      mail.find(
          "\n  hostpin matrix plan m.toml -o plan && hostpin matrix run plan --cell=saxpy_12.4_g++-13 -o") !=
      std::string::npos);
  const auto json = nlohmann::json::parse(messages_json(list));
  CHECK(json.at("messages")[0].at("mail") == mail);
  CHECK(json.at("messages")[0].at("to") == "a");
}

TEST_CASE("subscriptions that cannot be meant are errors with their place") {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "subscriber"},
      {"[[subscriber]]\nmail = \"a@b\"\n", "name"},
      {"[[subscriber]]\nname = \"a b\"\n", ":2:8: `a b` is no name"},
      {"[[subscriber]]\nname = \"a\"\nmail = \"a@b, c@d\"\n", ":3:8: `a@b, c@d` is no address"},
      {"[[subscriber]]\nname = \"a\"\nmail = \"a@b\\nBcc: c@d\"\n", "is no address"},
      {"[[subscriber]]\nname = \"a\"\nmail = \"-oQ@b\"\n", "is no address"},
      {"[[subscriber]]\nname = \"a\"\ncauses = [\"gates\"]\n", ":3:10: `gates` is no cause"},
      {"[[subscriber]]\nname = \"a\"\nchanges = [\"broke\"]\n", ":3:11: `broke` is no change"},
      {"[[subscriber]]\nname = \"a\"\ncell = \"x\"\n", "cell"},
      {"[[subscriber]]\nname = \"a\"\n[[subscriber]]\nname = \"a\"\n", "two subscribers a"},
  };
  for (const auto& [text, message] : wrong) {
    CAPTURE(text);
    const auto result = subscribers_of(text);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find(message) != std::string::npos);
  }
  const auto unknown = subscribers_of("[[subscriber]]\nname = \"a\"\ncauses = [\"gates\"]\n");
  CHECK(unknown.error().hint.starts_with("causes are gate, c-library, "));
}
