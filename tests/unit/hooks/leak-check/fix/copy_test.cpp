// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/copy.hpp"
#include "tests/tree.hpp"
#include "toolchains/base/files.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
namespace fs = std::filesystem;
using hostpin::test::Tree;

namespace {

/// Replaces the content of the copy, as patchelf does.
void write(const FileCopy& copy, const std::string& bytes) {
  std::ofstream(copy.path(), std::ios::trunc) << bytes;
}

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
  const auto copy = FileCopy::next_to(*place);
  REQUIRE(copy);
  write(*copy, "changed");
  REQUIRE(copy->replace_original());
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
    const auto copy = FileCopy::next_to(place_of(file));
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
  const auto copy = FileCopy::next_to(place_of(file));
  REQUIRE(copy);
  write(*copy, "new");
  REQUIRE(copy->replace_original());
  CHECK(*DiskFiles().read(file, 100) == "new");
  CHECK(fs::status(file).permissions() == before);
  CHECK(DiskFiles().entries(tree.path("d")).size() == 1);
}

TEST_CASE("a file that was modified since it was copied is not replaced") {
  const Tree tree;
  const std::string file = tree.write("d/x", "old");
  const auto copy = FileCopy::next_to(place_of(file));
  REQUIRE(copy);
  write(*copy, "new");
  tree.write("d/x", "newer");
  CHECK(copy->replace_original().error().message == "it was modified meanwhile");
  CHECK(*DiskFiles().read(file, 100) == "newer");
}

TEST_CASE("setting times back does not hide that a file was modified") {
  const Tree tree;
  const std::string file = tree.write("d/x", "old");
  struct stat before {};
  REQUIRE(::stat(file.c_str(), &before) == 0);
  const auto copy = FileCopy::next_to(place_of(file));
  REQUIRE(copy);
  tree.write("d/x", "own");
  const timespec times[] = {before.st_atim, before.st_mtim};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  CHECK(copy->replace_original().error().message == "it was modified meanwhile");
  CHECK(*DiskFiles().read(file, 100) == "own");
}

TEST_CASE("a symlink that replaces the original meanwhile is not changed, nor its target") {
  namespace fs = std::filesystem;
  const Tree tree;
  const std::string file = tree.write("d/x", "old"), victim = tree.write("victim", "old");
  const auto copy = FileCopy::next_to(place_of(file));
  REQUIRE(copy);
  write(*copy, "new");
  fs::remove(file);
  fs::create_symlink(victim, file);
  CHECK(copy->replace_original().error().message == "it was modified meanwhile");
  CHECK(*DiskFiles().read(victim, 100) == "old");
  CHECK(fs::is_symlink(file));
  CHECK(FileCopy::next_to(place_of(file)).error().message == "it is not a regular file");
  CHECK(DiskFiles().entries(tree.path("d")).size() == 1);
}

TEST_CASE("nothing is replaced in a directory where others can exchange files") {
  namespace fs = std::filesystem;
  const Tree tree;
  const std::string file = tree.write("d/x", "old"), directory = tree.path("d");
  fs::permissions(directory, fs::perms::all);
  const auto refused = FileCopy::next_to(place_of(file));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "all users may replace files in its directory");
  CHECK_FALSE(refused.error().hint.empty());
  fs::permissions(directory, fs::perms::all | fs::perms::sticky_bit);
  CHECK(FileCopy::next_to(place_of(file)));
  if (::geteuid() != 0)
    return; // only root can give it away, and only for root does the owner matter
  REQUIRE(::chown(directory.c_str(), 1, 1) == 0);
  CHECK(FileCopy::next_to(place_of(file)).error().message.starts_with("its directory belongs to user 1"));
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
  CHECK_FALSE(FileCopy::next_to(place_of(file)));
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
  CHECK_FALSE(FileCopy::next_to(place_of(tree.path("absent"))));
  const std::string vendored = tree.write("vendor/y", "");
  CHECK(may_replace(place_of(vendored), {tree.path("other")}));
  CHECK(may_replace(place_of(vendored), {tree.path("vendor")}).error().message ==
        "it is a vendor file (--vendor)");
  CHECK_FALSE(may_replace(place_of(file), {}));
}
