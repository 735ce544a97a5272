// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/walk.hpp"
#include "tests/tree.hpp"

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
namespace fs = std::filesystem;

namespace {

std::vector<WalkEntry> all(const std::vector<std::string>& roots) {
  Walk walk(roots);
  std::vector<WalkEntry> entries;
  while (auto entry = walk.next())
    entries.push_back(*std::move(entry));
  return entries;
}

std::vector<std::string> paths(const std::vector<WalkEntry>& entries) {
  std::vector<std::string> found;
  for (const WalkEntry& entry : entries)
    found.push_back(entry.path);
  return found;
}

} // namespace

TEST_CASE("a tree is walked in the order of its names as bytes, with any bytes") {
  const test::Tree tree;
  for (const char* const name : {"b", "a/z", "a/new\nline", "a/\xff\xfe", "a/b/c", "Z"})
    tree.write(name, "x");
  CHECK(paths(all({tree.root()})) ==
        std::vector<std::string>{"Z", "a/b/c", "a/new\nline", "a/z", "a/\xff\xfe", "b"});
  CHECK(paths(all({tree.root() + "///", tree.path("b")})).back() == tree.path("b"));
  for (const WalkEntry& entry : all({tree.root()}))
    CHECK(entry.open().value().size() == 1);
}

TEST_CASE("symlinks are reported and not followed, except one that is named") {
  const test::Tree tree;
  tree.write("d/file", "x");
  fs::create_directory_symlink("..", tree.path("d/up"));
  fs::create_symlink("/nowhere/at/all", tree.path("dangling"));
  fs::create_symlink("self", tree.path("self"));
  const std::string far = "/" + std::string(1000, 'x');
  fs::create_symlink(far, tree.path("far"));
  const std::vector<WalkEntry> entries = all({tree.root()});
  CHECK(paths(entries) == std::vector<std::string>{"d/file", "d/up", "dangling", "far", "self"});
  CHECK(entries[1].link_target == "..");
  CHECK(entries[2].link_target == "/nowhere/at/all");
  CHECK(entries[3].link_target == far);
  CHECK(entries[4].kind == WalkEntry::Kind::symlink);
  CHECK(paths(all({tree.path("d/up")})) == paths(entries));
  CHECK(all({tree.path("self")})[0].kind == WalkEntry::Kind::unreadable);
}

TEST_CASE("what is not a file is reported as unreadable, without blocking") {
  const test::Tree tree;
  REQUIRE(::mkfifo(tree.path("fifo").c_str(), 0600) == 0);
  const std::vector<WalkEntry> entries = all({tree.root(), tree.path("absent"), "/dev/null"});
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].reason == "it is a FIFO");
  CHECK(entries[1].reason == "there is no such file or directory");
  CHECK(entries[2].reason == "it is a device");
  for (const WalkEntry& entry : entries)
    CHECK(entry.kind == WalkEntry::Kind::unreadable);
}

TEST_CASE("a file that was replaced after it was visited is not opened") {
  const test::Tree tree;
  const std::string file = tree.write("file", "x");
  const WalkEntry entry = all({tree.root()}).at(0);
  fs::remove(file);
  CHECK(entry.open().error().message == "it no longer exists");
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(entry.open().error().message == "it became a FIFO");
  fs::remove(file);
  fs::create_symlink("/etc/passwd", file);
  CHECK(entry.open().error().message == "it became a symlink");
  fs::remove(file);
  fs::create_directory(file);
  CHECK(entry.open().error().message == "it became a directory");
}

TEST_CASE("a directory that vanishes during the walk is left") {
  const test::Tree tree;
  tree.write("a/1", "x");
  tree.write("a/2", "x");
  tree.write("b/1", "x");
  Walk walk({tree.root()});
  CHECK(walk.next()->path == "a/1");
  fs::remove_all(tree.path("a"));
  fs::remove_all(tree.path("b"));
  const auto gone = walk.next();
  REQUIRE(gone);
  CHECK(gone->path == "a/2");
  CHECK(gone->kind == WalkEntry::Kind::unreadable);
  CHECK(walk.next()->path == "b");
  CHECK_FALSE(walk.next());
}

TEST_CASE("the second name of a file has the path of the first") {
  const test::Tree tree;
  tree.write("first", "x");
  fs::create_directory(tree.path("z"));
  fs::create_hard_link(tree.path("first"), tree.path("z/second"));
  const std::vector<WalkEntry> entries = all({tree.root()});
  CHECK_FALSE(entries[0].hard_link_of);
  CHECK(entries[1].hard_link_of == "first");
}

TEST_CASE("a path may be longer than PATH_MAX") {
  const test::Tree tree;
  const std::string name(200, 'd');
  const fs::path before = fs::current_path();
  fs::current_path(tree.root());
  for (int i = 0; i < 30; ++i) {
    fs::create_directory(name);
    REQUIRE(::chdir(name.c_str()) == 0);
  }
  REQUIRE(::symlink("target", "deep") == 0);
  fs::current_path(before);
  const std::vector<WalkEntry> entries = all({tree.root()});
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].path.size() == 30 * 201 + 4);
  CHECK(entries[0].link_target == "target");
  REQUIRE(std::system(("rm -rf '" + tree.root() + "'").c_str()) == 0); // std::filesystem cannot
}

TEST_CASE("a directory that must not be read is reported as unreadable") {
  if (::geteuid() == 0) {
    MESSAGE("skipped: root may read everything");
    return;
  }
  const test::Tree tree;
  tree.write("closed/file", "x");
  fs::permissions(tree.path("closed"), fs::perms::none);
  const std::vector<WalkEntry> entries = all({tree.root()});
  fs::permissions(tree.path("closed"), fs::perms::owner_all);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].reason.find("Permission denied") != std::string::npos);
}
