// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("no byte of a name reaches a terminal as a control character or as anything but UTF-8") {
  CHECK(escaped("a\x9b"
                "31m") == "a\\x9b31m"); // CSI as one byte
  CHECK(escaped("a\xc2\x9b"
                "31m") == "a\\xc2\\x9b31m"); // the same as U+009B
  CHECK(escaped("\xc2\x80\xc2\x9f\x7f") == "\\xc2\\x80\\xc2\\x9f\\x7f");
  const std::string well_formed =
      "\xc2\xa0 \xc3\xa9 \xe2\x82\xac \xed\x9f\xbf \xf0\x9f\x9a\x80 \xf4\x8f\xbf\xbf";
  CHECK(escaped(well_formed) == well_formed);
  CHECK(escaped("\xe2\x80\xae") == "\\xe2\\x80\\xae"); // U+202E: from right to left
  CHECK(escaped("\xe2\x81\xa6\xef\xbb\xbf") == "\\xe2\\x81\\xa6\\xef\\xbb\\xbf");
  CHECK(escaped("\xc2\xad\xd8\x9c") == "\\xc2\\xad\\xd8\\x9c");
  CHECK(escaped("\xf3\xa0\x80\xa1") == "\\xf3\\xa0\\x80\\xa1"); // a tag
  CHECK(escaped("\xe2\x80\x90") == "\xe2\x80\x90");             // a hyphen next to those
  CHECK(escaped("\xc3") == "\\xc3");                            // truncated
  CHECK(escaped("\xe2\x82/") == "\\xe2\\x82/");                 // truncated, and what follows remains
  CHECK(escaped("\xc0\xaf\xe0\x80\xaf") == "\\xc0\\xaf\\xe0\\x80\\xaf"); // overlong
  CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");                   // half a surrogate pair
  CHECK(escaped("\xf4\x90\x80\x80\xff") == "\\xf4\\x90\\x80\\x80\\xff"); // after the last code point
  CHECK(escaped("\xf0\x9f\x9b\x9b") == "\xf0\x9f\x9b\x9b");              // 9b within a character
}

TEST_CASE("text is UTF-8 or is not") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("caf\xc3\xa9\n"));
  CHECK_FALSE(is_utf8("caf\xe9"));
  CHECK_FALSE(is_utf8("caf\xc3"));
}
