// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/version.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("one to three parts make a version") {
  struct Row {
    const char* text;
    Version version;
  };
  const Row rows[] = {{"9", {9, 0, 0}}, {"12.4", {12, 4, 0}}, {"13.0.88", {13, 0, 88}}, {"0.0.0", {0, 0, 0}}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_version(row.text) == row.version);
  }
}

TEST_CASE("anything that is not only a version is none") {
  for (const char* text : {"", ".", "12.", ".4", "12..4", "1.2.3.4", "12.4a", " 12", "12 ", "-1", "+1",
                           "1000000", "99999999999999999999", "1\xD9\xA1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_version(text).has_value());
  }
}

TEST_CASE("versions order by major, minor, patch") {
  CHECK(Version{9, 5, 0} < Version{10, 0, 0});
  CHECK(Version{12, 4, 0} == *parse_version("12.4"));
  CHECK(Version{12, 4, 1} > Version{12, 4, 0});
}

TEST_CASE("a version prints the patch only when there is one, and reads back") {
  CHECK(to_string(Version{12, 4, 0}) == "12.4");
  CHECK(to_string(Version{12, 4, 131}) == "12.4.131");
  CHECK(to_full_string(Version{13, 3, 0}) == "13.3.0");
  for (int major = 0; major < 40; ++major)
    for (int patch = 0; patch < 3; ++patch)
      CHECK(parse_version(to_string(Version{major, 1, patch})) == Version{major, 1, patch});
}
