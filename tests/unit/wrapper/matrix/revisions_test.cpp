// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/revisions.hpp"
#include "wrapper/matrix/stored.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

using namespace hostpin::matrix;

TEST_CASE("changes are read as git prints them, and nothing else is") {
  using namespace std::string_view_literals;
  const auto changes = read_changes("A\0a b.h\0D\0old\0M\0x/y\0T\0link\0"sv);
  REQUIRE(changes);
  REQUIRE(changes->size() == 4);
  CHECK((*changes)[0] == TreeChange{TreeChange::Kind::added, "a b.h"});
  CHECK((*changes)[1] == TreeChange{TreeChange::Kind::deleted, "old"});
  CHECK((*changes)[3] == TreeChange{TreeChange::Kind::changed, "link"});
  CHECK(read_changes("")->empty());
  CHECK_FALSE(read_changes("M\0half"sv));
  CHECK_FALSE(read_changes("\0\0"sv));
}

TEST_CASE("an access sees changes of its path, of a directory that it needs, and of names that it lists") {
  constexpr auto content = static_cast<unsigned>(Access::content),
                 status = static_cast<unsigned>(Access::status),
                 listing = static_cast<unsigned>(Access::listing);
  struct Row {
    const char *place, *state;
    unsigned access;
    TreeChange change;
    bool sees;
  };
  using enum TreeChange::Kind;
  const Row rows[] = {
      {"a/x.h", "file:1", content, {changed, "a/x.h"}, true},
      {"a/x.h", "absent", content, {added, "a/x.h"}, true},
      {"a/x.h", "file:1", content, {changed, "a/y.h"}, false},
      {"a/x.h", "file:1", content, {changed, "a"}, true}, // a directory that becomes a link or submodule
      {"a", "directory", status, {changed, "a/x.h"}, false},
      {"a", "directory", status, {added, "a/x.h"}, false},
      {"a", "absent", status, {added, "a/x.h"}, true},
      {"a", "directory", status, {deleted, "a/x.h"}, true}, // it may be the last one
      {"a", "directory:1", listing, {added, "a/x.h"}, true},
      {"a", "directory:1", listing, {changed, "a/x.h"}, false},
      {"ab", "directory:1", listing, {added, "a/x.h"}, false},
      {".", "directory:1", listing, {added, "x"}, true},
      {".", "directory", status, {changed, "x"}, false},
      {"a/x.h", "file:1", content, {changed, ".gitattributes"}, true},
      {"a/x.h", "file:1", content, {changed, "b/.gitattributes"}, false},
      {"a/x.h", "file:1", content, {added, "a/.gitattributes"}, true},
      {".git/HEAD", "file:1", content, {changed, "unrelated"}, true},
  };
  for (const Row& row : rows) {
    INFO(row.place, ' ', row.state, ' ', row.change.path);
    CHECK(can_see({"", row.access, row.state}, row.place, row.change) == row.sees);
  }
}

TEST_CASE("a path of an input is found in its repository") {
  CHECK(path_in_tree("$SOURCE/a.h", "sub/project") == "sub/project/a.h");
  CHECK(path_in_tree("$SOURCE", "sub/project") == "sub/project");
  CHECK(path_in_tree("$SOURCE/a.h", ".") == "a.h");
  CHECK(path_in_tree("$SOURCE", ".") == ".");
  CHECK(path_in_tree("$REPOSITORY/common/b.h", "sub/project") == "common/b.h");
  CHECK(path_in_tree("/usr/include/stdio.h", "sub/project").empty());
  CHECK(path_in_tree("$SOURCES/a.h", ".").empty());
}
