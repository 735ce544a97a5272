// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/redist/store/archive_lock.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

TEST_CASE("a lock is held once, until it is destroyed") {
  const test::Tree tree;
  {
    const auto first = lock_archive(tree.path("l"));
    REQUIRE(first);
    REQUIRE(*first);
    const auto second = lock_archive(tree.path("l"));
    REQUIRE(second);
    CHECK_FALSE(*second);
  }
  CHECK(lock_archive(tree.path("l")).value());
  CHECK_FALSE(lock_archive(tree.path("absent/l")));
}

TEST_CASE("what killed processes left is removed, but not partial files, nor what somebody works at") {
  const test::Tree tree;
  const Store store(tree.root());
  REQUIRE(store.create());
  const std::string one(64, '1'), two(64, '2');
  tree.write("tmp/sha256-" + one + "/top/f", "x");
  tree.write("tmp/link.7.sha256-" + one, "x");
  tree.write("partial/sha256-" + one, "part");
  tree.write("partial/sha256-" + one + ".from", "origin");
  tree.write("partial/sha256-" + one + ".from.Abc123", "draft");
  tree.write("partial/sha256-" + one + ".wrong", "x");
  tree.write("tops/sha256-" + one, "top");
  tree.write("tops/sha256-" + one + ".Abc123", "draft");
  tree.write("tmp/sha256-" + two + "/top/f", "x");
  const auto held = lock_archive(store.lock_path(two));
  REQUIRE(held.value());
  remove_leftovers(store);
  const auto exists = [&](const std::string& name) { return std::filesystem::exists(tree.path(name)); };
  CHECK_FALSE(exists("tmp/sha256-" + one));
  CHECK_FALSE(exists("tmp/link.7.sha256-" + one));
  CHECK_FALSE(exists("partial/sha256-" + one + ".from.Abc123"));
  CHECK_FALSE(exists("partial/sha256-" + one + ".wrong"));
  CHECK_FALSE(exists("tops/sha256-" + one + ".Abc123"));
  CHECK(exists("partial/sha256-" + one));
  CHECK(exists("partial/sha256-" + one + ".from"));
  CHECK(exists("tops/sha256-" + one));
  CHECK(exists("tmp/sha256-" + two + "/top/f"));
}

TEST_CASE("partial files of an archive that was unpacked before a kill are removed") {
  const test::Tree tree;
  const Store store(tree.root());
  REQUIRE(store.create());
  const std::string archive(64, '1');
  tree.write("tmp/unpacked/f", "x");
  REQUIRE(store.add(archive, tree.path("tmp/unpacked"), std::string(64, '2'), "top"));
  tree.write("partial/sha256-" + archive, "all");
  tree.write("partial/sha256-" + archive + ".from", "origin");
  remove_leftovers(store);
  CHECK(std::filesystem::is_empty(tree.path("partial")));
  CHECK(store.tree(archive));
}
