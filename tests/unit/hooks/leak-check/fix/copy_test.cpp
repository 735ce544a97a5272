// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/copy.hpp"
#include "tests/unit/hooks/leak-check/scan/tree.hpp"
#include "toolchains/base/files.hpp"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Tree;

TEST_CASE("a copy that takes no place leaves nothing behind") {
  const Tree tree;
  const std::string file = tree.write("d/x", "content");
  {
    const auto copy = FileCopy::beside(file);
    REQUIRE(copy);
    CHECK(*DiskFiles().read(copy->path(), 100) == "content");
    CHECK(DiskFiles().entries(tree.path("d")).size() == 2);
  }
  CHECK(DiskFiles().entries(tree.path("d")) == std::vector<std::string>{"x"});
}

TEST_CASE("a copy takes the place with the permissions of the original, which may be read-only") {
  namespace fs = std::filesystem;
  const Tree tree;
  const std::string file = tree.write("d/x", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read);
  const auto before = fs::status(file).permissions();
  const auto copy = FileCopy::beside(file);
  REQUIRE(copy);
  REQUIRE(copy->write("new"));
  REQUIRE(copy->take_place());
  CHECK(*DiskFiles().read(file, 100) == "new");
  CHECK(fs::status(file).permissions() == before);
  CHECK(DiskFiles().entries(tree.path("d")).size() == 1);
}

TEST_CASE("a file that was written to since it was copied keeps what was written") {
  const Tree tree;
  const std::string file = tree.write("d/x", "old");
  const auto copy = FileCopy::beside(file);
  REQUIRE(copy);
  REQUIRE(copy->write("new"));
  tree.write("d/x", "newer");
  CHECK(copy->take_place().error().message == "it was written to meanwhile");
  CHECK(*DiskFiles().read(file, 100) == "newer");
}

TEST_CASE("what would lose something is not replaced, and the reason is told") {
  namespace fs = std::filesystem;
  const Tree tree;
  const std::string file = tree.write("x", "");
  CHECK(replaceable(file));
  CHECK(replaceable(tree.path("absent")).error().message.starts_with("it cannot be read"));
  fs::create_symlink(file, tree.path("link"));
  CHECK(replaceable(tree.path("link")).error().message == "it is no regular file");
  fs::permissions(file, fs::perms::set_uid, fs::perm_options::add);
  CHECK(replaceable(file).error().message == "it has set-id bits");
  fs::create_hard_link(file, tree.path("other"));
  CHECK(replaceable(file).error().message == "it has several names (hard links)");
  CHECK_FALSE(FileCopy::beside(tree.path("absent")));
  const std::string vendored = tree.write("vendor/y", "");
  CHECK(may_replace(vendored, {tree.path("other")}));
  CHECK(may_replace(vendored, {tree.path("vendor")}).error().message == "it was taken over as it came");
  CHECK_FALSE(may_replace(file, {}));
}
