// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/metadata/fields.hpp"

#include <doctest/doctest.h>

using namespace hostpin::wheel;

TEST_CASE("headers end at the first empty line, and their names have no case") {
  const auto fields =
      read_fields("Name:  a \r\nRequires-Dist: b\nrequires-dist: c>=1\n\nRequires-Dist: text\n");
  CHECK(value_of(fields, "name") == "a");
  CHECK(values_of(fields, "requires-dist") == std::vector<std::string>{"b", "c>=1"});
  CHECK_FALSE(value_of(fields, "version"));
}

TEST_CASE("lines that begin with a blank continue the header before them") {
  const auto fields = read_fields(" lost\nLicense: one\n  two\nno header\nTag: x");
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].value == "one\ntwo");
  CHECK(fields[1].value == "x");
}

TEST_CASE("a line of blanks continues a header, and only an empty one ends them") {
  const auto fields = read_fields("License: a\n   \n  b\nRequires-Dist: x\r\n\r\nRequires-Dist: body\n");
  REQUIRE(fields.size() == 2);
  CHECK(fields[1].value == "x");
}
