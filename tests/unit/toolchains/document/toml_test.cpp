// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/document/reader.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a value has its line and column") {
  const auto document = document::parse_toml("a = 1\n\n[b]\n  c = \"x\"\n");
  REQUIRE(document.has_value());
  REQUIRE(document->members.size() == 2);
  CHECK(document->members[0].value.integer() == 1);
  CHECK(document->members[0].value.at.line == 1);
  CHECK(document->members[0].value.at.column == 5);
  const document::Member& c = document->members[1].value.members.at(0);
  CHECK(c.key == "c");
  CHECK(c.at.line == 4);
  CHECK(c.at.column == 3);
  CHECK(c.value.text == "x");
}

TEST_CASE("members come in the order of the file") {
  const auto document = document::parse_toml("z = 1\na = 2\nm = 3\n");
  REQUIRE(document.has_value());
  std::string order;
  for (const document::Member& member : document->members)
    order += member.key;
  CHECK(order == "zam");
}

TEST_CASE("what is not TOML is reported with file, line and column") {
  struct Row {
    const char* text;
    const char* place;
  };
  const Row rows[] = {{"a = \n", "f.toml:1:"},
                      {"a = 1\na = 2\n", "f.toml:2:"},
                      {"a = 1\n[b\n", "f.toml:2:"},
                      {"a = 1\nb = [1, 2\n", "f.toml:"},
                      {"a = \"\xff\"\n", "f.toml:1:"},
                      {"\n\n\"a\" 1\n", "f.toml:3:"},
                      {"a = 1\n\n[=]\nb = 2\n", "f.toml:3:"},
                      {"[[,]]", "f.toml:1:"},
                      {"\n\xc3\xa9 = 1\n", "f.toml:2:"},
                      {"a = 1\xc3\xa9\n", "f.toml:1:"}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto document = document::parse_toml(row.text);
    REQUIRE_FALSE(document.has_value());
    CHECK(document::error_at("f.toml", document.error()).message.starts_with(row.place));
  }
}

TEST_CASE("the hint for a file that is not TOML names the format") {
  const auto document =
      document::read_toml(FilesMap(std::map<std::string, std::string>{{"/f.toml", "a = \n"}}), "/f.toml");
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().message.starts_with("/f.toml:1:"));
  CHECK(document.error().hint == "the file must be TOML 1.0");
}

TEST_CASE("unlimited nesting is an error, not a crash") {
  for (const char* open : {"[", "{a="}) {
    std::string text = "a = ";
    for (int i = 0; i < 20000; ++i)
      text += open;
    CHECK_FALSE(document::parse_toml(text).has_value());
  }
}

TEST_CASE("a file above a mebibyte is not read") {
  const std::string large = "a = 1\n#" + std::string(1 << 20, 'x');
  const auto document =
      document::read_toml(FilesMap(std::map<std::string, std::string>{{"/f.toml", large}}), "/f.toml");
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().message.find("/f.toml") != std::string::npos);
}

namespace {

/// The first error of a reader that asks for `s`, `b`, `r`, `l`, `t` and `n`.
std::string complaint(const std::string& text) {
  const auto document = document::parse_toml(text);
  REQUIRE(document.has_value());
  document::Reader reader("f.toml", *document);
  reader.string("s");
  reader.boolean("b");
  reader.range("r");
  reader.strings("l");
  reader.tables("t");
  reader.table("n");
  const auto finished = reader.finish("the hint");
  return finished ? "" : finished.error().message;
}

} // namespace

TEST_CASE("a reader accepts values of the right type and reports the position of others") {
  struct Row {
    const char* text;
    const char* complaint;
  };
  const Row rows[] = {
      {"", ""},
      {"s = \"x\"\nb = true\nr = [6, 13]\nl = [\"x\"]\nt = [{}, {a = 1}]\n[n]\nx = 1\n", ""},
      {"r = [6, 6]\nl = []\nt = []", ""},
      {"s = 1", "f.toml:1:5: `s` must be a string"},
      {"\n s = \"\"", "f.toml:2:6: `s` is empty"},
      {"s = \"a\\u0000b\"", "f.toml:1:5: `s` contains a NUL character"},
      {"b = 1", "f.toml:1:5: `b` must be true or false"},
      {"r = 6", "f.toml:1:5: `r` must be two majors such as [6, 13]"},
      {"r = [6]", "f.toml:1:5: `r` must be two majors such as [6, 13]"},
      {"r = [6, 7, 8]", "f.toml:1:5: `r` must be two majors such as [6, 13]"},
      {"r = [6, \"7\"]", "f.toml:1:5: `r` must be two majors such as [6, 13]"},
      {"r = [-1, 7]", "f.toml:1:5: `r` must be two majors such as [6, 13]"},
      {"r = [6, 9223372036854775807]", "f.toml:1:5: `r` must be two majors such as [6, 13]"},
      {"r = [7, 6]", "f.toml:1:5: `r` starts above its end"},
      {"l = \"x\"", "f.toml:1:5: `l` must be an array of strings"},
      {"l = [\"x\", 2]", "f.toml:1:11: `l` must be a string"},
      {"t = 1", "f.toml:1:5: `t` must be tables, each under [[t]]"},
      {"t = [1]", "f.toml:1:5: `t` must be tables, each under [[t]]"},
      {"n = 1", "f.toml:1:5: `n` must be a table"},
      {"s = \"x\"\nother = 1", "f.toml:2:1: unknown key `other`"},
      {"\"a\\nb\" = 1", "f.toml:1:1: unknown key `a\\x0ab`"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(complaint(row.text) == row.complaint);
  }
}

TEST_CASE("a missing key is reported at its table") {
  const auto document = document::parse_toml("\n[n]\nx = \"1\"\n");
  REQUIRE(document.has_value());
  document::Reader reader("f.toml", document->members.at(0).value);
  reader.string("x");
  reader.require("y");
  CHECK(reader.finish().error().message == "f.toml:2:1: the key `y` is missing");
}
