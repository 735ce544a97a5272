// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/remembered.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
namespace fs = std::filesystem;

namespace {

/// A tree with every kind of name that a path may have.
struct Place {
  Place() : root(fs::temp_directory_path() / ("hostpin-remembered-" + std::to_string(::getpid()))) {
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
  const RememberedFiles files;
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
  const RememberedFiles files;
  const std::string path = (place.root / "a/b/new").string();
  CHECK_FALSE(files.real_path(path));
  std::ofstream(path) << "x";
  CHECK(files.real_path(path) == fs::canonical(path).string());
  fs::remove(path);
  CHECK_FALSE(files.real_path(path));
}
