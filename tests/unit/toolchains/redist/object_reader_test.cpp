// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/object_reader.hpp"

#include <functional>

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

/// The first error after `read` has read the object; empty if there is none.
std::string refusal(std::string_view text, const std::function<void(ObjectReader&, const JsonValue&)>& read) {
  const auto json = parse_json(text);
  REQUIRE(json);
  ObjectReader reader("f", "make it again");
  read(reader, *json);
  if (reader.error())
    CHECK(reader.error()->hint == "make it again");
  return reader.error() ? reader.error()->message : "";
}

std::string refused_object(std::string_view text) {
  return refusal(text, [](ObjectReader& reader, const JsonValue& json) {
    reader.is_object(json, {"a", "b"});
  });
}

std::string refused_string(std::string_view text) {
  return refusal(text, [](ObjectReader& reader, const JsonValue& json) { reader.string(json, "a"); });
}

std::string refused_optional_string(std::string_view text) {
  return refusal(text,
                 [](ObjectReader& reader, const JsonValue& json) { reader.optional_string(json, "a"); });
}

std::string refused_number(std::string_view text) {
  return refusal(
      text, [](ObjectReader& reader, const JsonValue& json) { reader.optional_number(json, "a", "a size"); });
}

} // namespace

TEST_CASE("an object has known keys only, each once") {
  CHECK(refused_object(R"({"b": 1, "a": 2})").empty());
  CHECK(refused_object("{}").empty());
  CHECK(refused_object("[]") == "f:1:1: this is not an object");
  CHECK(refused_object(R"({"c": 1, "d": 1})") == "f:1:2: unknown key 'c'");
  CHECK(refused_object(R"({"a": 1, "a": 1})") == "f:1:10: the key 'a' occurs twice");
}

TEST_CASE("a required string is there and not empty, an optional one may be both") {
  CHECK(refused_string(R"({"a": "x"})").empty());
  CHECK(refused_string("{}") == "f:1:1: there is no 'a'");
  CHECK(refused_string(R"({"a": ""})") == "f:1:7: 'a' is not a string, or empty");
  CHECK(refused_string(R"({"a": 1})") == "f:1:7: 'a' is not a string, or empty");
  CHECK(refused_optional_string("{}").empty());
  CHECK(refused_optional_string(R"({"a": ""})").empty());
  CHECK(refused_optional_string(R"({"a": 1})") == "f:1:7: 'a' is not a string, or empty");
}

TEST_CASE("a number is whole, not negative and has 64 bits") {
  CHECK(refused_number("{}").empty());
  CHECK(refused_number(R"({"a": 18446744073709551615})").empty());
  for (const char* value : {"18446744073709551616", "-1", "1.5", "\"1\"", "null"})
    CHECK(refused_number(std::string("{\"a\": ") + value + "}") == "f:1:7: 'a' is not a size");
}
