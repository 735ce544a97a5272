// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"

#include <set>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("joining is the inverse of splitting") {
  for (const char* text : {"", ":", "a", ":a::b:", "a b"})
    CHECK(joined(split(text, ":"), ":") == text);
  CHECK(joined(std::vector<std::string>(), ":").empty());
}

TEST_CASE("items are joined by functions and members") {
  struct Named {
    std::string name;
  };
  CHECK(joined(std::set<std::string>{"b c", "a"}, " ", shell_word) == "a 'b c'");
  CHECK(joined(std::vector<Named>{{"a"}, {"b"}}, ", ", &Named::name) == "a, b");
}

TEST_CASE("blanks are removed from both ends only") {
  CHECK(trimmed(" \t a b\r\n ") == "a b");
  CHECK(trimmed(" \t").empty());
  CHECK(trimmed("").empty());
  CHECK(trimmed("\n a\n", "\n") == " a");
}

TEST_CASE("letters outside of ASCII have no lower case") {
  CHECK(lower_case("aZ0\xc3\x84") == "az0\xc3\x84");
}

TEST_CASE("a replacement is not replaced again") {
  CHECK(replaced("a.a", "a", "aa") == "aa.aa");
}

TEST_CASE("each line is indented") {
  CHECK(indented("a\nb", 2) == "  a\n  b");
}

TEST_CASE("bytes have two lower-case digits each") {
  CHECK(hex_of({"\x00\x7f\xff", 3}) == "007fff");
  CHECK(is_hex("007fff"));
  CHECK_FALSE(is_hex("FF"));
  CHECK_FALSE(is_hex("0g"));
}

TEST_CASE("only controls are escaped") {
  CHECK(with_escaped_controls("a\n\x7f\xc3\xa4") == "a\\x0a\\x7f\xc3\xa4");
}
