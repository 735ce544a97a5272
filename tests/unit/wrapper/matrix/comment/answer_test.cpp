// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/answer.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;

namespace {

constexpr const char* comments = R"([
  {"id": 1, "user": {"login": "stranger"}, "body": "<!-- mine -->"},
  {"id": 2, "user": {"login": "bot"}, "body": "said <!-- mine -->"},
  {"id": 3, "user": {"login": "bot"}, "body": "<!-- mine --> text"},
  {"id": 4, "user": null}])";

std::string ids(const AnswerQuery& query, const std::string& json = comments) {
  const auto answer = answered(json, query, "file");
  if (!answer)
    return answer.error().message;
  std::string text;
  for (const auto& values : answer->values)
    for (const std::string& value : values)
      text += value + ' ';
  return text;
}

} // namespace

TEST_CASE("an answer's elements are taken by what their members are") {
  const AnswerTerm author{"user.login", "bot"}, beginning{"body", "<!-- mine", true};
  CHECK(ids({"", {}, {"id"}}) == "1 2 3 4 ");
  CHECK(ids({"", {author}, {"id"}}) == "2 3 ");
  CHECK(ids({"", {author, beginning}, {"id", "user.login"}}) == "3 bot ");
  CHECK(ids({"a.b", {}, {"id"}}, R"({"a": {"b": [{"id": true}, {"id": "x"}]}})") == "true x ");
  CHECK(ids({"", {{"id", "7"}}, {"id"}}, R"({"id": 7})") == "7 "); // one object
  CHECK(answered("[]", {"", {}, {"id"}}, "file")->count == 0);
}

TEST_CASE("an answer of another kind, and values that are no words, are errors") {
  CHECK(ids({"", {}, {"id"}}, "<html>") == "file is not JSON");
  CHECK(ids({"x", {}, {"id"}}) == "file has no list");
  CHECK(ids({"", {}, {"id"}}, "3") == "file has no list");
  CHECK(ids({"", {}, {"user.login"}}, R"({"user": null})") == "file has no user.login");
  CHECK(ids({"", {}, {"id"}}, R"({"id": "1 2"})") == "file: id is not a word: 1 2");
  CHECK(ids({"", {}, {"id"}}, R"({"id": "1\n::error::x"})") == "file: id is not a word: 1\\n::error::x");
  CHECK(ids({"", {}, {"id"}}, R"({"id": ""})") == "file: id is not a word: ");
  CHECK(ids({"", {}, {"id"}}, R"({"id": [1]})") == "file has no id");
}

TEST_CASE("an element of a list without such a value is skipped, with a message, and the others are not") {
  const char* const list =
      R"([{"id": null}, {"id": 1, "user": {"login": "bot"}}, {"id": "2\n3"}, 4, {"id": 5}])";
  const auto answer = answered(list, {"", {}, {"id"}}, "file");
  REQUIRE(answer);
  CHECK(answer->count == 5);
  CHECK(answer->values == std::vector<std::vector<std::string>>{{"1"}, {"5"}});
  CHECK(answer->skipped ==
        std::vector<std::string>{"file has no id", "file: id is not a word: 2\\n3", "file has no id"});
  CHECK(ids({"", {}, {"user.login"}}) == "stranger bot bot ");
}
