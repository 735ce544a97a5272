// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/base/ancestors.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
namespace fs = std::filesystem;

TEST_CASE("every directory above a path is judged") {
  const test::Tree tree;
  tree.write("a/b/file", "");
  const std::string file = tree.path("a/b/file");
  const auto mode = [](const std::string& path, unsigned bits) {
    fs::permissions(path, static_cast<fs::perms>(bits));
  };
  CHECK(exchangeable_by_others(file).empty());
  CHECK(exchangeable_by_others(tree.path("a/missing/c")).empty());
  mode(tree.path("a"), 0777);
  CHECK(exchangeable_by_others(file) == tree.path("a"));
  CHECK(exchangeable_by_others(tree.path("a/missing")) == tree.path("a"));
  CHECK(exchangeable_by_others(tree.path("a/b/../../a/./b//file")) == tree.path("a"));
  mode(tree.path("a"), 01777);
  CHECK(exchangeable_by_others(file).empty());
  mode(file, 01646); // that bit protects entries of directories only
  CHECK(exchangeable_by_others(file) == file);
  mode(file, 0644);
}

TEST_CASE("links are judged, and the paths that they lead to") {
  const test::Tree tree;
  tree.write("open/inner/file", "");
  fs::create_directory_symlink("second", tree.path("first"));
  fs::create_directory_symlink(tree.path("open/inner"), tree.path("second"));
  fs::create_directory_symlink("round", tree.path("round"));
  CHECK(exchangeable_by_others(tree.path("first/file")).empty());
  CHECK(exchangeable_by_others(tree.path("round")) == tree.path("round"));
  fs::permissions(tree.path("open"), fs::perms(0777));
  CHECK(exchangeable_by_others(tree.path("first/file")) == tree.path("open"));
}

TEST_CASE("what another user owns can be exchanged, and what a shared group may write") {
  if (::geteuid() != 0)
    return; // only root can give files away
  const test::Tree tree;
  tree.write("a/b/file", "");
  fs::create_directory_symlink("a", tree.path("link"));
  const std::string above = tree.path("a");
  REQUIRE(::chown(above.c_str(), 65534, 65534) == 0);
  CHECK(exchangeable_by_others(tree.path("a/b")) == above);
  REQUIRE(::chown(above.c_str(), 0, 0) == 0);
  fs::permissions(above, fs::perms(0775));
  CHECK(exchangeable_by_others(tree.path("a/b")).empty()); // the group of its owner alone
  REQUIRE(::chown(above.c_str(), 0, 65534) == 0);
  fs::permissions(above, fs::perms(0775));
  CHECK(exchangeable_by_others(tree.path("a/b")) == above);
  fs::permissions(above, fs::perms(0755));
  REQUIRE(::lchown(tree.path("link").c_str(), 65534, 65534) == 0);
  CHECK(exchangeable_by_others(tree.path("link/b")) == tree.path("link"));
}

TEST_CASE("a link that another user owns is found on the way, and directories do not count") {
  if (::geteuid() != 0)
    return; // only root can give links away
  const test::Tree tree;
  tree.write("a/b/file", "");
  const std::string first = tree.path("first"), second = tree.path("a/second");
  fs::create_directory_symlink("a/second", first);
  fs::create_directory_symlink("b", second);
  fs::permissions(tree.path("a"), fs::perms(0777));
  CHECK(link_of_another(first + "/file").empty());
  REQUIRE(::lchown(second.c_str(), 65534, 65534) == 0);
  for (const char* const path : {"first", "first/file", "first/missing", "a/second", "a/b/../second/file"})
    CHECK(link_of_another(tree.path(path)) == second);
  CHECK(link_of_another(tree.path("a/b/file")).empty());
  REQUIRE(::chown(tree.path("a/b").c_str(), 65534, 65534) == 0);
  CHECK(link_of_another(tree.path("a/b/file")).empty());
}
