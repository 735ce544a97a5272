// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/json.hpp"

#include <doctest/doctest.h>

using namespace hostpin::document;

namespace {

std::string at(Position position) {
  return std::to_string(position.line) + ':' + std::to_string(position.column);
}

/// `LINE:COLUMN what`, or the text's kind.
std::string refusal(std::string_view text) {
  const auto json = parse_json(text);
  return json ? std::string(to_string(json->kind)) : at(json.error().at) + ' ' + json.error().what;
}

} // namespace

TEST_CASE("values and keys have the position of their first character") {
  const auto json =
      parse_json("{\n \"a\\\"\": [1, -2.5e1 , null],\n  \"b\": \"\\u00e9\\\\\", \"c\":{\"d\":true}}\n");
  REQUIRE(json);
  REQUIRE(json->members.size() == 3);
  CHECK(json->members[0].key == "a\"");
  CHECK(at(json->members[0].at) == "2:2");
  CHECK(at(json->members[0].value.at) == "2:9");
  const auto& items = json->members[0].value.items;
  REQUIRE(items.size() == 3);
  CHECK(at(items[0].at) == "2:10");
  CHECK(items[0].text == "1");
  CHECK(at(items[1].at) == "2:13");
  CHECK(items[1].text == "-2.5e1");
  CHECK(at(items[2].at) == "2:22");
  CHECK(json->members[1].value.text == "\xc3\xa9\\");
  CHECK(at(json->members[1].value.at) == "3:8");
  CHECK(at(json->members[2].value.members[0].value.at) == "3:29");
  CHECK(json->members[2].value.members[0].value.truth);
}

TEST_CASE("all members with the same key are there, and find returns the first") {
  const auto json = parse_json(R"({"a":1,"b":2,"a":3})");
  REQUIRE(json);
  REQUIRE(json->members.size() == 3);
  CHECK(json->find("a")->text == "1");
  CHECK(json->members[2].value.text == "3");
  CHECK(json->find("c") == nullptr);
}

TEST_CASE("what is not JSON is refused where it stops being JSON") {
  CHECK(refusal("").starts_with("1:1 "));
  CHECK(refusal("[1,]").starts_with("1:4 "));
  CHECK(refusal("{\"a\":1,}").starts_with("1:8 "));
  CHECK(refusal("[1] x").starts_with("1:5 "));
  CHECK(refusal("\n\n  nul").starts_with("3:5 "));
  CHECK(refusal("[01]") != "array");
  CHECK(refusal("\"a\nb\"") != "string");
  CHECK(refusal("\"\\ud800\"") != "string");
  CHECK(refusal("\"\xff\"") != "string");
  CHECK(refusal("[1e999]") != "array");
  CHECK(refusal("\xef\xbb\xbf{}") == "1:1 it begins with a byte order mark");
}

TEST_CASE("nesting is limited") {
  CHECK(refusal(std::string(64, '[') + std::string(64, ']')) == "array");
  CHECK(refusal(std::string(65, '[') + std::string(65, ']')) ==
        "1:65 arrays and objects are nested more than 64 levels deep");
  CHECK(refusal(std::string(100'000, '[')) == "1:65 arrays and objects are nested more than 64 levels deep");
}

TEST_CASE("the number of values is limited") {
  std::string text = "[0";
  for (std::size_t count = 2; count < most_json_values; ++count)
    text += ",0";
  CHECK(refusal(text + "]") == "array");
  CHECK(refusal(text + ",0]") == "1:4000000 there are more than 2000000 values");
}
