// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "wrapper/pack/tree.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

using namespace hostpin::pack;
namespace fs = std::filesystem;

namespace {

class Scratch {
public:
  void file(const std::string& path) const {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << path;
  }
  void link(const std::string& target, const std::string& path) const {
    fs::create_directories(fs::path(root + path).parent_path());
    fs::create_symlink(target, root + path);
  }
  bool has(const Tree& tree, const std::string& path) const { return tree.entries().contains(root + path); }

private:
  hostpin::test::Tree tree_;

public:
  std::string root = fs::canonical(tree_.root()).string();
};

} // namespace

TEST_CASE("with a path come the symlinks on its way and what they lead to") {
  const Scratch scratch;
  scratch.file("/usr/lib/gcc/12/cc1plus");
  scratch.link("usr/lib", "/lib");
  scratch.link(scratch.root + "/lib/gcc/12", "/alternatives");
  scratch.link("alternatives/cc1plus", "/compiler");
  Tree tree;
  REQUIRE(tree.add(scratch.root + "/compiler"));
  for (const char* const path : {"/compiler", "/alternatives", "/lib", "/usr", "/usr/lib/gcc/12/cc1plus"})
    CHECK(scratch.has(tree, path));
  CHECK(tree.files().size() == 1);
  CHECK_FALSE(scratch.has(tree, "/lib/gcc")); // files behind a symlink are listed by their physical path
}

TEST_CASE("parts of a path that lead back need what they led through") {
  const Scratch scratch;
  scratch.file("/usr/bin/tool");
  scratch.file("/usr/lib/x.o");
  Tree tree;
  REQUIRE(tree.add(scratch.root + "/usr/bin/../lib/x.o"));
  CHECK(scratch.has(tree, "/usr/bin"));
  CHECK(scratch.has(tree, "/usr/lib/x.o"));
  CHECK_FALSE(scratch.has(tree, "/usr/bin/tool"));
}

TEST_CASE("a directory comes with what is wanted of it, and rings of symlinks end") {
  const Scratch scratch;
  scratch.file("/include/stdio.h");
  scratch.file("/include/boost/all.hpp");
  scratch.link("..", "/include/sys/up");
  scratch.link("ring", "/include/ring");
  scratch.link("nowhere", "/include/dangling");
  Tree some;
  REQUIRE(some.add_whole(scratch.root + "/include", [](std::string_view name) { return name == "stdio.h"; }));
  CHECK(scratch.has(some, "/include/stdio.h"));
  CHECK_FALSE(scratch.has(some, "/include/boost"));
  Tree all;
  REQUIRE(all.add_whole(scratch.root + "/include"));
  for (const char* const path :
       {"/include/boost/all.hpp", "/include/sys/up", "/include/ring", "/include/dangling"})
    CHECK(scratch.has(all, path));
  CHECK_FALSE(all.add(scratch.root + "/missing"));
}
