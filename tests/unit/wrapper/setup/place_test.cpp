// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/setup/place.hpp"

#include <filesystem>
#include <optional>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace fs = std::filesystem;

namespace {

ScratchDirectory scratch() {
  auto made = ScratchDirectory::make(Environment());
  if (!made)
    FAIL(made.error().message);
  return *std::move(made);
}

} // namespace

TEST_CASE("a directory is new, of an earlier setup, or of somebody else") {
  const ScratchDirectory room = scratch();
  const std::string directory = room.path() + "/d";
  CHECK(*content_of(directory) == Content::absent);
  REQUIRE(Place::prepare(directory));
  CHECK(*content_of(directory) == Content::own);
  remove_tree(directory + "/.work");
  CHECK(*content_of(directory) == Content::empty);
  REQUIRE(replace_file(directory + "/mine", "text", false));
  CHECK(*content_of(directory) == Content::foreign);
  const auto refused = Place::prepare(directory);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("nothing was written") != std::string::npos);
  CHECK_FALSE(fs::exists(directory + "/.work"));
  CHECK_FALSE(content_of(directory + "/mine"));
}

TEST_CASE("a directory that others may write to is refused") {
  const ScratchDirectory room = scratch();
  fs::permissions(room.path(), fs::perms::all);
  CHECK_FALSE(Place::prepare(room.path()));
}

TEST_CASE("a piece replaces the former one as a whole") {
  const ScratchDirectory room = scratch();
  for (const char* const name : {"work", "made", "place/deep"})
    fs::create_directories(room.path() + '/' + name);
  REQUIRE(replace_file(room.path() + "/made/new", "", false));
  REQUIRE(replace_file(room.path() + "/place/deep/old", "", false));
  REQUIRE(replace_tree(room.path() + "/made", room.path() + "/place/deep", room.path() + "/work"));
  CHECK(fs::exists(room.path() + "/place/deep/new"));
  CHECK_FALSE(fs::exists(room.path() + "/place/deep/old"));
  CHECK_FALSE(fs::exists(room.path() + "/work/former"));
  CHECK_FALSE(replace_tree(room.path() + "/none", room.path() + "/place/deep", room.path() + "/work"));
}

TEST_CASE("read-only trees are removed as well") {
  const ScratchDirectory room = scratch();
  const std::string tree = room.path() + "/tree";
  fs::create_directories(tree + "/a/b");
  REQUIRE(replace_file(tree + "/a/b/c", "", false));
  for (const char* const name : {"/a/b", "/a"})
    fs::permissions(tree + name, fs::perms::owner_read | fs::perms::owner_exec);
  remove_tree(tree);
  CHECK_FALSE(fs::exists(tree));
}

TEST_CASE("space that no file system has is refused with both numbers") {
  const ScratchDirectory room = scratch();
  CHECK(check_space(room.path(), 1));
  const auto full = check_space(room.path(), std::uint64_t{1} << 62U);
  REQUIRE_FALSE(full);
  CHECK(full.error().message.find("is needed in " + room.path()) != std::string::npos);
}

TEST_CASE("a lock is held once, and its holder is named") {
  const ScratchDirectory room = scratch();
  const auto place = Place::prepare(room.path());
  REQUIRE(place);
  {
    const auto first = lock_directory(*place, [](long) { FAIL("nobody else is here"); });
    REQUIRE(first);
  }
  const auto again = lock_directory(*place, [](long) { FAIL("the first one has ended"); });
  CHECK(again);
}

TEST_CASE("a directory whose name is given to another one stays the one that was judged, and that is found") {
  const ScratchDirectory room = scratch();
  const std::string directory = room.path() + "/d", other = room.path() + "/other";
  const auto place = Place::prepare(directory);
  REQUIRE(place);
  CHECK(place->check());
  fs::create_directory(other);
  fs::rename(directory, room.path() + "/moved");
  fs::create_directory_symlink(other, directory);
  REQUIRE(lock_directory(*place, [](long) {}));
  CHECK(fs::is_empty(other));
  CHECK(fs::exists(room.path() + "/moved/.lock"));
  CHECK(fs::exists(place->here() + "/.work"));
  const auto exchanged = place->check();
  REQUIRE_FALSE(exchanged);
  CHECK(exchanged.error().message == directory + " was exchanged for another file while it was in use");
}
