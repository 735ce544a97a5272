// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/redist/store/store.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

const std::string one(64, '1'), two(64, '2'), content(64, 'c');

} // namespace

TEST_CASE("a tree is in the store once it was added, with the name of its archive's top directory") {
  const test::Tree tree;
  const Store store(tree.path("new/store"));
  CHECK_FALSE(store.tree(one));
  REQUIRE(store.create());
  tree.write("new/store/tmp/x/lib/f", "content");
  const auto added = store.add(one, tree.path("new/store/tmp/x"), content, "p-1-archive");
  REQUIRE_MESSAGE(added, added.error().message);
  const auto found = store.tree(one);
  REQUIRE(found);
  CHECK(found->path == tree.path("new/store/cas/sha256-" + content));
  CHECK(found->tree == content);
  CHECK(found->top == "p-1-archive");
  CHECK(std::filesystem::exists(store.trees_path(one) + "/lib/f"));
  CHECK_FALSE(store.tree(two));
}

TEST_CASE("two archives with the same content have one tree") {
  const test::Tree tree;
  const Store store(tree.path("store"));
  REQUIRE(store.create());
  tree.write("store/tmp/x/f", "content");
  tree.write("store/tmp/y/f", "content");
  REQUIRE(store.add(one, tree.path("store/tmp/x"), content, "a"));
  REQUIRE(store.add(two, tree.path("store/tmp/y"), content, "b"));
  CHECK(store.tree(one)->path == store.tree(two)->path);
  CHECK(store.tree(one)->top == "a");
  CHECK(store.tree(two)->top == "b");
}

TEST_CASE("what is not complete is not in the store, and can be added") {
  const test::Tree tree;
  const Store store(tree.path("store"));
  REQUIRE(store.create());
  std::filesystem::create_symlink("../cas/sha256-" + content, store.trees_path(one));
  CHECK_FALSE(store.tree(one));
  std::filesystem::create_symlink("/etc", store.trees_path(two));
  CHECK_FALSE(store.tree(two));
  tree.write("store/tmp/x/f", "content");
  REQUIRE(store.add(one, tree.path("store/tmp/x"), content, "a"));
  CHECK(store.tree(one));
}

TEST_CASE("a store that cannot be made is an error that names it") {
  const test::Tree tree;
  tree.write("file", "");
  const auto made = Store(tree.path("file/store")).create();
  REQUIRE(!made);
  CHECK(made.error().message.find(tree.path("file") + "/store") != std::string::npos);
}
