// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/json.hpp"
#include "toolchains/document/json_writer.hpp"

#include <doctest/doctest.h>

namespace records {

using namespace hostpin;
using document::Field;

struct Item {
  std::string name, hash;
};

struct All {
  std::string text, note, maybe;
  bool flag = false;
  std::optional<std::uint64_t> size;
  std::uint8_t small = 0;
  int kind = 0;
  std::vector<std::string> texts;
  std::vector<Item> items;
  std::optional<Item> item;
};

void fields(document::Of<Item> auto& one, auto& visit) {
  visit("name", one.name);
  visit.digest("hash", one.hash, Field::optional);
}

void fields(document::Of<All> auto& all, auto& visit) {
  visit.schema(1, "a test");
  visit("text", all.text);
  visit("note", all.note, Field::always);
  visit("maybe", all.maybe, Field::optional);
  visit("flag", all.flag);
  visit.number("size", all.size, "a size");
  visit.object("inner", [&](auto& inner) { inner.number("small", all.small, "a byte"); });
  visit.text(
      "kind", all.kind, [](int kind) { return std::to_string(kind); },
      [](const std::string& text) { return text == "7" ? std::optional(7) : std::nullopt; }, "is not 7");
  visit("texts", all.texts);
  visit("items", all.items);
  visit("item", all.item);
  visit.derived("sum", [&] { return all.items.size(); });
}

std::string defect(const Item& item) {
  return item.name == "bad" ? "this item is bad" : "";
}

} // namespace records

namespace {

using namespace records;

constexpr const char* smallest = R"({
 "schema": 1,
 "text": "x",
 "note": "",
 "inner": {
  "small": 3
 },
 "kind": "7",
 "texts": [
  "a"
 ],
 "items": [
  {
   "name": "b"
  }
 ],
 "sum": 1
})";

/// The problem of the smallest document with `from` replaced; empty if there is none.
std::string refusal(std::string_view from, std::string_view to) {
  std::string text = smallest;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  const auto json = document::parse_json(text.replace(at, from.size(), to));
  REQUIRE(json);
  const auto read = document::record_of<All>(*json);
  return read ? "" : document::error_at("f", read.error()).message;
}

} // namespace

TEST_CASE("what is written is read again, and written as the same text") {
  All all;
  all.text = "x";
  all.small = 3;
  all.kind = 7;
  all.texts = {"a"};
  all.items = {{"b", {}}};
  CHECK(document::JsonWriter::json_of(all).dump(1) == smallest);
  all.maybe = "y";
  all.flag = true;
  all.size = 0;
  all.item = Item{"c", std::string(64, 'a')};
  const std::string text = document::JsonWriter::json_of(all).dump(1);
  const auto read = document::record_of<All>(*document::parse_json(text));
  REQUIRE(read);
  CHECK(document::JsonWriter::json_of(*read).dump(1) == text);
  CHECK(read->item->hash == std::string(64, 'a'));
}

TEST_CASE("an object has known keys only, each once") {
  CHECK(refusal("\"kind\"", "\"unknown\"") == "f:8:2: unknown key 'unknown'");
  CHECK(refusal(" \"sum\": 1", " \"sum\": 1, \"c\": 1, \"d\": 2") == "f:17:12: unknown key 'c'");
  CHECK(refusal("\"sum\": 1", "\"sum\": 1, \"sum\": 1") == "f:17:12: the key 'sum' occurs twice");
  CHECK(refusal("{\n   \"name\": \"b\"\n  }", "[]") == "f:13:3: this is not an object");
}

TEST_CASE("unknown keys can be allowed") {
  const auto json = document::parse_json(R"({"name": "x", "other": 1})");
  REQUIRE(json);
  CHECK_FALSE(document::record_of<Item>(*json));
  CHECK(document::record_of<Item>(*json, {.allows_unknown_keys = true}));
}

TEST_CASE("a required string is there and not empty, an optional one may be both") {
  CHECK(refusal(" \"text\": \"x\",", "") == "f:1:1: there is no 'text'");
  CHECK(refusal("\"x\"", "\"\"") == "f:3:10: 'text' is not a string, or empty");
  CHECK(refusal("\"x\"", "1") == "f:3:10: 'text' is not a string, or empty");
  CHECK(refusal(" \"note\": \"\",", " \"maybe\": \"\",").empty());
  CHECK(refusal("\"note\": \"\"", "\"note\": 1") == "f:4:10: 'note' is not a string, or empty");
}

TEST_CASE("a number is whole, not negative and fits its type") {
  for (const char* value : {"0", "18446744073709551615"})
    CHECK(refusal("\"note\": \"\"", std::string("\"size\": ") + value).empty());
  for (const char* value : {"18446744073709551616", "-1", "1.5", "\"1\"", "null"})
    CHECK(refusal("\"note\": \"\"", std::string("\"size\": ") + value) == "f:4:10: 'size' is not a size");
  CHECK(refusal("3", "255").empty());
  CHECK(refusal("3", "256") == "f:6:12: 'small' is not a byte");
}

TEST_CASE("digests, booleans, lists, texts and the schema are checked") {
  CHECK(refusal("\"b\"", R"("b", "hash": "xy")") ==
        "f:14:25: 'hash' is not 64 lower-case hexadecimal digits");
  CHECK(refusal("\"note\": \"\"", "\"flag\": 1") == "f:4:10: 'flag' is neither true nor false");
  CHECK(refusal("\"a\"", "\"\"") == "f:10:3: this is not a string, or empty");
  CHECK(refusal("[\n  \"a\"\n ]", "1") == "f:9:11: there is no array 'texts'");
  CHECK(refusal("\"7\"", "\"8\"") == "f:1:1: the kind '8' is not 7");
  CHECK(refusal("\"schema\": 1", "\"schema\": 2") == "f:2:12: this is not a test of schema 1");
  CHECK(refusal("\"b\"", "\"bad\"") == "f:13:3: this item is bad");
}
