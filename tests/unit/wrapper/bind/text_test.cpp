// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/text.hpp"

#include <string>

#include <doctest/doctest.h>
#include <toml++/toml.h>

using namespace hostpin;
using namespace hostpin::bind;

TEST_CASE("every string survives TOML, and what is no UTF-8 becomes the replacement character") {
  for (const std::string text :
       {"", "plain", "a\"b\\c", "tab\tnew\nline", "\x01\x7f", "grün \xF0\x9F\x98\x80"}) {
    const toml::table table = toml::parse("x = " + toml_string(text));
    CHECK(table["x"].value<std::string>() == text);
  }
  for (const std::string text : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    const toml::table table = toml::parse("x = " + toml_string(text));
    CHECK(table["x"].value<std::string>()->find("\xEF\xBF\xBD") == 0);
  }
}

TEST_CASE("a CMake bracket argument is long enough for what it holds") {
  CHECK(cmake_string("/usr/bin/g++") == "[[/usr/bin/g++]]");
  CHECK(cmake_string("a]]b") == "[=[a]]b]=]");
  CHECK(cmake_string("a]") == "[=[a]]=]");
  CHECK(cmake_string("\nx") == "[[\n\nx]]");
}

TEST_CASE("shell words are quoted only where they must be") {
  CHECK(shell_words({"g++-13", "-m64", "a b", "it's", "", "$HOME"}) ==
        "g++-13 -m64 'a b' 'it'\\''s' '' '$HOME'");
}
