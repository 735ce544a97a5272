// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/copy.hpp"
#include "hooks/leak-check/fix/place.hpp"
#include "tests/tree.hpp"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

namespace fs = std::filesystem;

/// A staged tree, and files outside next to it.
struct Stage {
  test::Tree tree;
  Policy policy;
  DiskFiles disk;
  Result<Unwanted> unwanted = Unwanted::make(policy, disk);

  std::string root() const { return disk.real_path(tree.path("stage")).value_or(""); }
  std::string file(const std::string& path) const { return tree.write("stage" + path, "x"); }
  void link(const std::string& path, const std::string& target) const {
    const fs::path place = tree.path("stage" + path);
    fs::create_directories(place.parent_path());
    fs::create_symlink(target, place);
  }

  /// The path in the tree of a file that may be changed, or the error's message.
  std::string place(const std::string& path, bool alone = false) const {
    const RootedFiles files(root(), alone);
    const World world{policy, *unwanted, files, {}, false, &files};
    const auto found = fix_place(tree.path("stage" + path), world);
    if (!found)
      return found.error().message;
    // Whatever its path, it is in the stage.
    const auto real = fs::canonical("/proc/self/fd/" + std::to_string(found->directory->descriptor()));
    CHECK((real / found->name).string() == root() + found->path);
    return found->path;
  }
};

bool is_outside(const std::string& message) {
  return message.starts_with("it is outside --root ");
}

} // namespace

TEST_CASE("a file of a staged tree has its path after the install, whatever symlinks lead to it") {
  const Stage stage;
  REQUIRE(stage.unwanted);
  stage.file("/opt/own/libx.so");
  stage.link("/usr/lib/libx.so", "/opt/own/libx.so");     // absolute: of the tree
  stage.link("/lib/libx.so", "../../../opt/own/libx.so"); // `..` stops at the root
  CHECK(stage.place("/opt/own/libx.so") == "/opt/own/libx.so");
  CHECK(stage.place("/usr/lib/libx.so") == "/opt/own/libx.so");
  CHECK(stage.place("/lib/libx.so") == "/opt/own/libx.so");
}

TEST_CASE("no symlink of a staged tree leads a change out of it") {
  const Stage stage;
  REQUIRE(stage.unwanted);
  const std::string victim = stage.tree.write("victim/libv.so", "x");
  stage.file("/lib/libx.so");
  stage.link("/lib/absolute.so", victim);
  stage.link("/lib/relative.so", "../../victim/libv.so");
  stage.link("/lib/system.so", "/etc/passwd"); // exists on this machine, not in the tree
  stage.link("/victim", fs::path(victim).parent_path());
  stage.link("/up", "..");
  stage.link("/loop", "loop");
  for (const bool alone : {false, true})
    for (const char* const path : {"/lib/absolute.so", "/lib/relative.so", "/lib/system.so",
                                   "/victim/libv.so", "/up/victim/libv.so", "/loop", "/absent"}) {
      CAPTURE(path);
      CHECK(is_outside(stage.place(path, alone)));
    }
}

TEST_CASE("a directory that became a symlink after its lookup is not opened") {
  const Stage stage;
  const std::string victim = stage.tree.write("victim/libx.so", "x");
  stage.file("/usr/lib/libx.so");
  REQUIRE(open_below(stage.root(), "/usr/lib/"));
  fs::rename(stage.tree.path("stage/usr/lib"), stage.tree.path("stage/usr/was"));
  stage.link("/usr/lib", fs::path(victim).parent_path());
  CHECK_FALSE(open_below(stage.root(), "/usr/lib/"));
  fs::rename(stage.tree.path("stage/usr"), stage.tree.path("stage/old"));
  stage.link("/usr", "old");
  CHECK_FALSE(open_below(stage.root(), "/usr/was"));
  CHECK_FALSE(open_below(stage.root(), "/old/../old"));
  CHECK_FALSE(open_below(stage.root(), "/old/was/libx.so"));
  CHECK(open_below(stage.root(), "/old/./was"));
}

TEST_CASE("a directory that is exchanged meanwhile is not changed") {
  const Stage stage;
  REQUIRE(stage.unwanted);
  const std::string victim = stage.tree.write("victim/libx.so", "victim");
  const std::string file = stage.file("/usr/lib/libx.so");
  const RootedFiles files(stage.root(), false);
  const auto place = fix_place(file, {stage.policy, *stage.unwanted, files, {}, false, &files});
  REQUIRE(place);
  fs::rename(stage.tree.path("stage/usr/lib"), stage.tree.path("stage/usr/was"));
  stage.link("/usr/lib", fs::path(victim).parent_path());
  const auto copy = FileCopy::beside(*place);
  REQUIRE(copy);
  REQUIRE(copy->write("changed"));
  REQUIRE(copy->take_place());
  CHECK(*DiskFiles().read(victim, 100) == "victim");
  CHECK(*DiskFiles().read(stage.tree.path("stage/usr/was/libx.so"), 100) == "changed");
}

TEST_CASE("without a staged tree symlinks lead where they do on this machine") {
  const Stage stage;
  REQUIRE(stage.unwanted);
  const std::string file = stage.file("/lib/libx.so");
  fs::create_symlink(file, stage.tree.path("link.so"));
  const World world{stage.policy, *stage.unwanted, stage.disk, {}};
  const auto place = fix_place(stage.tree.path("link.so"), world);
  REQUIRE(place);
  CHECK(place->path == stage.root() + "/lib/libx.so");
  CHECK(place->name == "libx.so");
  CHECK_FALSE(fix_place(stage.tree.path("absent/libx.so"), world));
}
