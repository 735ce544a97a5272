// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"

#include <libgen.h>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a file's name and directory are what basename and dirname print") {
  for (const std::string path :
       {"a", "/a", "a/b", "/a/b", "./a", "../a", "/usr/lib/libstdc++.so.6", "a//b"}) {
    CAPTURE(path);
    std::string first = path, second = path;
    CHECK(base_name(path) == ::basename(first.data()));
    const std::string directory = directory_of(path);
    // dirname folds slashes, a run path must not be rewritten
    if (path != "a//b")
      CHECK(directory == ::dirname(second.data()));
  }
}

TEST_CASE("an empty path has no directory, and a path with a trailing slash no name") {
  CHECK(directory_of("").empty());
  CHECK(base_name("").empty());
  CHECK(base_name("a/").empty());
  CHECK(directory_of("a/") == "a");
}

TEST_CASE("a shell leaves a path between double quotes unchanged unless it expands something") {
  for (const char* const path :
       {"/a", "/far away/it's (gr\xC3\xBCn) & more", "/a;b|c>d*?[e]#~!", "/tab\there"}) {
    CAPTURE(path);
    CHECK(survives_the_shell(path));
  }
  for (const char* const path : {"/a\"b", "/$HOME", "/a`b`", "/a\\b", "/a\nb"}) {
    CAPTURE(path);
    CHECK_FALSE(survives_the_shell(path));
  }
}

TEST_CASE("a string of Nix has nothing that Nix would evaluate or read as something else") {
  CHECK(nix_string("/a b/gr\xC3\xBCn'") == "\"/a b/gr\xC3\xBCn'\"");
  CHECK(nix_string("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(nix_string("${HOME} $${x}") == "\"\\${HOME} \\$\\${x}\"");
  CHECK(nix_string("a\nb\r") == "\"a\\nb\\r\"");
}

TEST_CASE("bytes of a path are encoded as in a URL") {
  CHECK(percent_encoded("/usr/lib/g++-13@~_.") == "/usr/lib/g++-13@~_.");
  CHECK(percent_encoded("a b%\n\xff\xc3\xa9") == "a%20b%25%0A%FF%C3%A9");
  CHECK(percent_encoded(std::string_view("\0", 1)) == "%00");
  CHECK(percent_encoded("").empty());
}

TEST_CASE("URLs lose users and passwords only") {
  CHECK(without_user("https://u:p%40@h:8080/a@b") == "https://h:8080/a@b");
  CHECK(without_user("cuda=https://u:p@w@h?a@b") == "cuda=https://h?a@b");
  CHECK(without_user("https://u@h#a@b") == "https://h#a@b");
  CHECK(without_user("https:///u:p@h/a@b") == "https:///h/a@b");
  for (const char* const unchanged : {"http://h/a@b", "file:/a", "file:///a@b/c", "http://", "a@b", ""})
    CHECK(without_user(unchanged) == unchanged);
}

TEST_CASE("a list has a part between any two separators, which may be empty") {
  using Parts = std::vector<std::string>;
  CHECK(split("", ":") == Parts{""});
  CHECK(split("a", ":") == Parts{"a"});
  CHECK(split(":a::b:", ":") == Parts{"", "a", "", "b", ""});
  CHECK(split("a:b;c", ":;") == Parts{"a", "b", "c"});
  CHECK(filled_parts(":a::b:", ":") == Parts{"a", "b"});
  CHECK(filled_parts("", ":").empty());
}
