// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/copy.hpp"
#include "tests/tree.hpp"
#include "toolchains/base/files.hpp"

#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Tree;

namespace {

/// The place of that file itself, even a symlink.
FixPlace place_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return {file, open_below("/", file.substr(0, slash)), file.substr(slash + 1), file};
}

} // namespace

TEST_CASE("a copy has no name that could be given to another file, and leaves nothing in the tree") {
  const Tree tree;
  const std::string file = tree.write("d/x", "content");
  {
    const auto copy = FileCopy::beside(place_of(file));
    REQUIRE(copy);
    CHECK(*DiskFiles().read(copy->path(), 100) == "content");
    CHECK(DiskFiles().entries(tree.path("d")).size() == 1);
  }
  CHECK(DiskFiles().entries(tree.path("d")) == std::vector<std::string>{"x"});
}

TEST_CASE("a copy replaces the original with its permissions, which may be read-only") {
  namespace fs = std::filesystem;
  const Tree tree;
  const std::string file = tree.write("d/x", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read);
  const auto before = fs::status(file).permissions();
  const auto copy = FileCopy::beside(place_of(file));
  REQUIRE(copy);
  REQUIRE(copy->write("new"));
  REQUIRE(copy->take_place());
  CHECK(*DiskFiles().read(file, 100) == "new");
  CHECK(fs::status(file).permissions() == before);
  CHECK(DiskFiles().entries(tree.path("d")).size() == 1);
}

TEST_CASE("a file that was modified since it was copied is not replaced") {
  const Tree tree;
  const std::string file = tree.write("d/x", "old");
  const auto copy = FileCopy::beside(place_of(file));
  REQUIRE(copy);
  REQUIRE(copy->write("new"));
  tree.write("d/x", "newer");
  CHECK(copy->take_place().error().message == "it was modified meanwhile");
  CHECK(*DiskFiles().read(file, 100) == "newer");
}

TEST_CASE("setting times back does not hide that a file was modified") {
  const Tree tree;
  const std::string file = tree.write("d/x", "old");
  struct stat before {};
  REQUIRE(::stat(file.c_str(), &before) == 0);
  const auto copy = FileCopy::beside(place_of(file));
  REQUIRE(copy);
  tree.write("d/x", "own");
  const timespec times[] = {before.st_atim, before.st_mtim};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  CHECK(copy->take_place().error().message == "it was modified meanwhile");
  CHECK(*DiskFiles().read(file, 100) == "own");
}

TEST_CASE("a symlink that replaces the original meanwhile is not changed, nor its target") {
  namespace fs = std::filesystem;
  const Tree tree;
  const std::string file = tree.write("d/x", "old"), victim = tree.write("victim", "old");
  const auto copy = FileCopy::beside(place_of(file));
  REQUIRE(copy);
  REQUIRE(copy->write("new"));
  fs::remove(file);
  fs::create_symlink(victim, file);
  CHECK(copy->take_place().error().message == "it was modified meanwhile");
  CHECK(*DiskFiles().read(victim, 100) == "old");
  CHECK(fs::is_symlink(file));
  CHECK(FileCopy::beside(place_of(file)).error().message == "it is not a regular file");
  CHECK(DiskFiles().entries(tree.path("d")).size() == 1);
}

TEST_CASE("nothing is replaced in a directory where others can exchange files") {
  namespace fs = std::filesystem;
  const Tree tree;
  const std::string file = tree.write("d/x", "old"), directory = tree.path("d");
  fs::permissions(directory, fs::perms::all);
  const auto refused = FileCopy::beside(place_of(file));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "everybody may replace files in its directory");
  CHECK_FALSE(refused.error().hint.empty());
  fs::permissions(directory, fs::perms::all | fs::perms::sticky_bit);
  CHECK(FileCopy::beside(place_of(file)));
  if (::geteuid() != 0)
    return; // only root can give it away, and only for root does the owner matter
  REQUIRE(::chown(directory.c_str(), 1, 1) == 0);
  CHECK(FileCopy::beside(place_of(file)).error().message.starts_with("its directory belongs to user 1"));
}

TEST_CASE("a file with extended attributes is not replaced, and the attribute is named") {
  const Tree tree;
  const std::string file = tree.write("x", "");
  if (::setxattr(file.c_str(), "user.note", "1", 1, 0) != 0) {
    MESSAGE("skipped: this file system has no attributes");
    return;
  }
  const auto allowed = may_replace(place_of(file), {});
  REQUIRE_FALSE(allowed);
  CHECK(allowed.error().message == "it has the extended attribute user.note");
  CHECK_FALSE(FileCopy::beside(place_of(file)));
}

TEST_CASE("a file that would lose something is not replaced, and the reason is reported") {
  namespace fs = std::filesystem;
  const Tree tree;
  const std::string file = tree.write("x", "");
  CHECK(may_replace(place_of(file), {}));
  CHECK(may_replace(place_of(tree.path("absent")), {}).error().message.starts_with("it cannot be read"));
  fs::create_symlink(file, tree.path("link"));
  CHECK(may_replace(place_of(tree.path("link")), {}).error().message == "it is not a regular file");
  fs::permissions(file, fs::perms::set_uid, fs::perm_options::add);
  CHECK(may_replace(place_of(file), {}).error().message == "it has set-id bits");
  fs::create_hard_link(file, tree.path("other"));
  CHECK(may_replace(place_of(file), {}).error().message == "it has several names (hard links)");
  CHECK_FALSE(FileCopy::beside(place_of(tree.path("absent"))));
  const std::string vendored = tree.write("vendor/y", "");
  CHECK(may_replace(place_of(vendored), {tree.path("other")}));
  CHECK(may_replace(place_of(vendored), {tree.path("vendor")}).error().message ==
        "it is a vendor file (--vendor)");
  CHECK_FALSE(may_replace(place_of(file), {}));
}
