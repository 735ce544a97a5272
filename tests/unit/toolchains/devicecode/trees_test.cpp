// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/devicecode/trees.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using hostpin::test::Tree;

namespace fs = std::filesystem;

namespace {

/// Replaces the content of files that begin with `long`.
Result<bool> shorten(const std::string& from, const std::string& to) {
  std::string text;
  std::getline(std::ifstream(from), text);
  if (!text.starts_with("long"))
    return false;
  fs::remove(to);
  std::ofstream(to) << "short";
  return true;
}

bool always() {
  return true;
}

std::string content(const std::string& path) {
  std::string text;
  std::getline(std::ifstream(path), text);
  return text;
}

} // namespace

TEST_CASE("a copy has the changed files, and everything else as it is") {
  const Tree tree;
  tree.write("in/lib/a", "long text");
  const std::string same = tree.write("in/lib/b", "other");
  fs::create_hard_link(tree.path("in/lib/a"), tree.path("in/a2"));
  fs::create_hard_link(same, tree.path("in/b2"));
  fs::create_symlink("lib/a", tree.path("in/link"));
  fs::create_symlink("nowhere", tree.path("in/dangling"));
  fs::create_directory(tree.path("in/empty"));
  fs::permissions(same, fs::perms::owner_read | fs::perms::owner_exec);
  const auto time = fs::file_time_type::clock::now() - std::chrono::hours(48);
  fs::last_write_time(same, time);
  fs::last_write_time(tree.path("in/lib"), time);
  REQUIRE(copy_tree(tree.path("in"), tree.path("out"), shorten, always));
  CHECK(content(tree.path("out/lib/a")) == "short");
  CHECK(content(tree.path("in/lib/a")) == "long text");
  CHECK(content(tree.path("out/lib/b")) == "other");
  CHECK(fs::equivalent(tree.path("out/lib/a"), tree.path("out/a2")));
  CHECK(fs::equivalent(tree.path("out/lib/b"), tree.path("out/b2")));
  CHECK(!fs::equivalent(tree.path("out/lib/b"), same));
  CHECK(fs::read_symlink(tree.path("out/link")) == "lib/a");
  CHECK(fs::read_symlink(tree.path("out/dangling")) == "nowhere");
  CHECK(fs::is_directory(tree.path("out/empty")));
  CHECK(fs::status(tree.path("out/lib/b")).permissions() == (fs::perms::owner_read | fs::perms::owner_exec));
  CHECK(fs::last_write_time(tree.path("out/lib/b")) == fs::last_write_time(same));
  CHECK(fs::last_write_time(tree.path("out/lib")) == fs::last_write_time(tree.path("in/lib")));
}

TEST_CASE("after an error there is no copy, and no part of one") {
  const Tree tree;
  tree.write("in/a", "long");
  tree.write("in/b/c", "long");
  fs::permissions(tree.path("in/b"), fs::perms::owner_read | fs::perms::owner_exec);
  int calls = 0;
  const FileChange fails = [&](const std::string& from, const std::string& to) -> Result<bool> {
    return ++calls == 2 ? failure("full") : shorten(from, to);
  };
  const auto copied = copy_tree(tree.path("in"), tree.path("out"), fails, always);
  REQUIRE(!copied);
  CHECK(copied.error().message == "full");
  CHECK(std::distance(fs::directory_iterator(tree.root()), fs::directory_iterator()) == 1);
}

TEST_CASE("a copy that is not accepted leaves nothing") {
  const Tree tree;
  tree.write("in/a", "long");
  REQUIRE(copy_tree(tree.path("in"), tree.path("out"), shorten, [] { return false; }));
  CHECK(std::distance(fs::directory_iterator(tree.root()), fs::directory_iterator()) == 1);
}

TEST_CASE("nothing is copied over something, or into itself") {
  const Tree tree;
  tree.write("in/a", "x");
  tree.write("out/a", "y");
  CHECK(copy_tree(tree.path("in"), tree.path("out"), shorten, always)
            .error()
            .message.ends_with(" exists already"));
  CHECK(
      copy_tree(tree.path("in"), tree.path("in/out"), shorten, always).error().message.find(" is inside ") !=
      std::string::npos);
  CHECK(copy_tree(tree.path("in"), tree.path("in2/"), shorten, always));
  CHECK(content(tree.path("in2/a")) == "x");
}

TEST_CASE("names of one file that is changed in place stay names of one file") {
  const Tree tree;
  const std::string first = tree.write("in/a", "long"), other = tree.write("in/c", "other");
  fs::create_hard_link(first, tree.path("in/b"));
  fs::create_symlink(first, tree.path("in/link"));
  REQUIRE(change_tree(tree.path("in"), shorten));
  CHECK(content(first) == "short");
  CHECK(fs::equivalent(first, tree.path("in/b")));
  CHECK(fs::is_symlink(tree.path("in/link")));
  CHECK(content(other) == "other");
}
