// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/members.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

using Kind = MemberTable::Kind;

std::string path_of(MemberTable& table, std::string_view name, Kind kind, std::string_view target = {}) {
  const auto added = table.add(name, kind, target);
  return added ? added->path : added.error().message;
}

std::string links_of(const MemberTable& table) {
  const auto checked = table.check_links();
  return checked ? std::string() : checked.error().message;
}

} // namespace

TEST_CASE("members are created below one directory, parents first") {
  MemberTable table;
  CHECK(table.is_empty());
  const auto added = table.add("./top/lib/libx.so", Kind::file);
  REQUIRE(added);
  CHECK(added->path == "top/lib/libx.so");
  CHECK(added->directories == std::vector<std::string>{"top", "top/lib"});
  CHECK(table.add("top/lib/", Kind::directory)->directories.empty());
  CHECK(table.add("top/new/", Kind::directory)->directories == std::vector<std::string>{"top/new"});
  CHECK(path_of(table, "./", Kind::directory).empty());
  CHECK(table.top() == "top");
  REQUIRE(table.add("LICENSE", Kind::file));
  CHECK(table.top().empty());
}

TEST_CASE("names that lead elsewhere are refused") {
  MemberTable table;
  for (const char* const name :
       {"/etc/passwd", "..", "../f", "a/../../f", "a/..", "a//b", "a/./b", "a\nb", "a\x7f", "", "/"}) {
    CAPTURE(name);
    CHECK_FALSE(table.add(name, Kind::file));
  }
  CHECK_FALSE(table.add("./", Kind::file));
  CHECK(table.is_empty());
  CHECK(path_of(table, "..a/b..", Kind::file) == "..a/b..");
  CHECK(path_of(table, "...", Kind::file) == "...");
}

TEST_CASE("nothing is created twice, through a link, or next to a name that differs only in case") {
  MemberTable table;
  REQUIRE(table.add("t/f", Kind::file));
  REQUIRE(table.add("t/l", Kind::link, "."));
  CHECK(path_of(table, "t/f", Kind::file) == "there are two members 't/f'");
  CHECK(path_of(table, "t/f", Kind::link, "x") == "there are two members 't/f'");
  CHECK(path_of(table, "t/f/g", Kind::file) == "there are two members 't/f'");
  CHECK(path_of(table, "t/l/g", Kind::file) == "a member has a path through the symbolic link 't/l'");
  CHECK(path_of(table, "t/F", Kind::file) == "the members 't/f' and 't/F' differ only in case");
  CHECK(path_of(table, "T/g", Kind::file) == "the members 't' and 'T' differ only in case");
}

TEST_CASE("hard links lead to earlier files") {
  MemberTable table;
  REQUIRE(table.add("t/f", Kind::file));
  REQUIRE(table.add("t/l", Kind::link, "f"));
  CHECK(table.hard_link_target("t/h", "./t/f").value_or("") == "t/f");
  for (const char* const target : {"t/l", "t", "t/later", "/t/f", "t/../t/f", ""})
    CHECK_FALSE(table.hard_link_target("t/h", target));
}

TEST_CASE("symbolic links stay in the top directory, at each step") {
  MemberTable table;
  REQUIRE(table.add("t/a/b/f", Kind::file));
  REQUIRE(table.add("t/a/b/up", Kind::link, "../../a/b/f"));
  REQUIRE(table.add("t/root", Kind::link, "a/.."));
  REQUIRE(table.add("t/dangling", Kind::link, "a/nothing/f"));
  CHECK(links_of(table).empty());
  SUBCASE("out of it") {
    REQUIRE(table.add("t/a/out", Kind::link, "../../f"));
    CHECK(links_of(table) ==
          "the symbolic link 't/a/out' leads to '../../f', out of the archive's directory");
  }
  SUBCASE("out of it and back") {
    REQUIRE(table.add("t/out", Kind::link, "../t/a"));
    CHECK_FALSE(links_of(table).empty());
  }
  SUBCASE("through another link") {
    REQUIRE(table.add("t/a/b/c/d", Kind::link, "../../.."));
    REQUIRE(table.add("t/m", Kind::link, "a/b/c/d/../f"));
    CHECK_FALSE(links_of(table).empty());
  }
  SUBCASE("in a circle") {
    REQUIRE(table.add("t/m", Kind::link, "n"));
    REQUIRE(table.add("t/n", Kind::link, "m"));
    CHECK(links_of(table) == "the symbolic link 't/m' leads back to itself");
  }
  SUBCASE("absolute") {
    CHECK_FALSE(table.add("t/m", Kind::link, "/t/a"));
  }
  SUBCASE("to nothing") {
    CHECK_FALSE(table.add("t/m", Kind::link, ""));
  }
}

TEST_CASE("names that origin.json cannot contain are refused") {
  MemberTable table;
  CHECK(path_of(table, "top/caf\xe9.h", Kind::file) ==
        "the name of the member 'top/caf\\xe9.h' is not UTF-8");
  CHECK(path_of(table, "top/caf\xc3\xa9.h", Kind::file) == "top/caf\xc3\xa9.h");
  CHECK(path_of(table, "top/link", Kind::link, "caf\xe9.h") ==
        "the symbolic link 'top/link' leads to 'caf\\xe9.h', which has control characters or is not UTF-8");
  CHECK(path_of(table, "top/link", Kind::link, "a\nb") ==
        "the symbolic link 'top/link' leads to 'a\\nb', which has control characters or is not UTF-8");
}
