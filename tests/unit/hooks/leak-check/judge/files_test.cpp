// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/files.hpp"
#include "tests/tree.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
namespace fs = std::filesystem;

namespace {

/// A tree with every kind of name that a path may have.
struct Place {
  Place() : root(fs::temp_directory_path() / ("hostpin-cached-" + std::to_string(::getpid()))) {
    fs::remove_all(root);
    fs::create_directories(root / "a/b");
    std::ofstream(root / "a/b/file") << "x";
    fs::create_symlink("a", root / "link");
    fs::create_symlink("file", root / "a/b/other");
    fs::create_symlink(root / "nowhere", root / "a/lost");
    fs::create_symlink("loop", root / "loop");
  }
  ~Place() { fs::remove_all(root); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  fs::path root;
};

} // namespace

TEST_CASE("a real path is that of the disk, however it is spelt and however often it is looked up") {
  const Place place;
  const DiskFiles disk;
  const CachedFiles files;
  const fs::path before = fs::current_path();
  fs::current_path(place.root);
  const std::string root = place.root.string();
  for (const std::string& path : {root + "/a/b/file",
                                  root + "/link/b/file",
                                  root + "/link/b/other",
                                  root + "/a/../link/b/file",
                                  root + "/a//b/./file",
                                  root + "/a/b/",
                                  root + "/link",
                                  root + "/link/",
                                  root + "/a/lost",
                                  root + "/a/lost/x/y",
                                  root + "/loop/x",
                                  root + "/loop",
                                  root + "/a/b/file/below",
                                  root + "/a/b/..",
                                  root + "/a/b/file/..",
                                  root + "/none/x/y",
                                  root + std::string(5000, '/') + "a",
                                  root + '/' + std::string(300, 'x') + "/y",
                                  std::string("/"),
                                  std::string("//"),
                                  std::string("/tmp"),
                                  std::string(),
                                  std::string("a/b/file"),
                                  std::string("link/b"),
                                  std::string("link"),
                                  std::string("none/x"),
                                  std::string("../none"),
                                  std::string(".")}) {
    CAPTURE(path);
    for (int times = 0; times < 2; ++times)
      CHECK(files.real_path(path) == disk.real_path(path));
  }
  fs::current_path(before);
}

TEST_CASE("a file that comes or goes in a known directory is seen") {
  const Place place;
  const CachedFiles files;
  const std::string path = (place.root / "a/b/new").string();
  CHECK_FALSE(files.real_path(path));
  std::ofstream(path) << "x";
  CHECK(files.real_path(path) == fs::canonical(path).string());
  fs::remove(path);
  CHECK_FALSE(files.real_path(path));
}

namespace {

struct Stage {
  test::Tree tree;

  std::string root() const { return DiskFiles().real_path(tree.path("stage")).value_or(""); }
  void file(const std::string& path) const { tree.write("stage" + path, "x"); }
  void link(const std::string& path, const std::string& target) const {
    const std::filesystem::path place = tree.path("stage" + path);
    std::filesystem::create_directories(place.parent_path());
    std::filesystem::create_symlink(target, place);
  }
};

} // namespace

TEST_CASE("an absolute symlink of a staged tree leads to what is there after the install") {
  const Stage stage;
  stage.file("/opt/own/lib.so");
  stage.link("/usr/lib/lib.so", "/opt/own/lib.so");
  const RootedFiles files(stage.root(), true);
  CHECK(files.real_path("/usr/lib/lib.so") == "/opt/own/lib.so");
  CHECK(files.on_disk("/usr/lib/lib.so") == stage.root() + "/opt/own/lib.so");
}

TEST_CASE("no symlink and no .. leads out of a staged tree") {
  const Stage stage;
  stage.file("/opt/own/lib.so");
  stage.link("/out", "../../../../opt/own");
  stage.link("/opt/own/top", "/");
  stage.link("/a", "b");
  stage.link("/b", "a");
  const RootedFiles files(stage.root(), true);
  CHECK(files.real_path("/out/lib.so") == "/opt/own/lib.so");
  CHECK(files.real_path("/opt/own/top/../opt/own/top") == "/");
  CHECK(files.real_path("/../../opt/./own//lib.so") == "/opt/own/lib.so");
  CHECK_FALSE(files.real_path("/a"));
  CHECK_FALSE(files.real_path("/opt/absent/../own"));
  CHECK_FALSE(files.real_path("/opt/own/lib.so/x"));
}

TEST_CASE("a staged tree hides the system's files, unless it is a whole system") {
  const Stage stage;
  stage.file("/opt/own/lib.so");
  stage.link("/opt/host", stage.tree.path("host"));
  stage.tree.write("host/file", "");
  const std::string outside = DiskFiles().real_path(stage.tree.path("host")).value_or("");
  CHECK(RootedFiles(stage.root(), false).real_path("/opt/host/file") == outside + "/file");
  CHECK_FALSE(RootedFiles(stage.root(), true).real_path("/opt/host/file"));
  CHECK_FALSE(RootedFiles(stage.root(), false).status(stage.root() + "/opt/own")); // the stage will be gone
}

TEST_CASE("files in a staged tree have the path that they will have") {
  const Stage stage;
  stage.file("/opt/own/lib.so");
  stage.tree.write("stage.old/x", "");
  const RootedFiles files(stage.root(), true);
  CHECK(files.installed_path(stage.root() + "/opt/own/lib.so") == "/opt/own/lib.so");
  CHECK(files.installed_path(stage.root() + "/opt/../opt/own/lib.so") == "/opt/own/lib.so");
  CHECK(files.installed_path(stage.root() + "/") == "/");
  CHECK_FALSE(files.installed_path(stage.tree.path("stage.old/x")));
  CHECK_FALSE(files.installed_path("/absent/x"));
}
