// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "tests/unit/toolchains/redist/tree/facts.hpp"
#include "toolchains/redist/tree/contents.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

Contents contents_of(const test::Tree& tree, const std::string& package = "libx") {
  return inspect(tree.root(), package, test::content_facts()).value();
}

void link(const test::Tree& tree, const std::string& path, const std::string& target) {
  std::filesystem::create_symlink(target, tree.path(path));
}

} // namespace

TEST_CASE("files are listed by path with output and size, links with their target and not followed") {
  const test::Tree tree;
  tree.write("lib/libx.so.1.2.3", "text");
  link(tree, "lib/libx.so", "libx.so.1");
  link(tree, "lib/libx.so.1", "libx.so.1.2.3");
  link(tree, "include", "/usr/include");
  const Contents contents = contents_of(tree);
  REQUIRE(contents.files.size() == 4);
  CHECK(contents.files[0].path == "include");
  CHECK(contents.files[0].link == "/usr/include");
  CHECK(contents.files[3].path == "lib/libx.so.1.2.3");
  CHECK(contents.files[3].size == 4);
  CHECK(contents.resolved("lib/libx.so") == "lib/libx.so.1.2.3");
  CHECK(!contents.resolved("include"));
  CHECK(!contents.resolved("lib/liby.so"));
}

TEST_CASE("links that lead in a circle resolve to nothing") {
  const test::Tree tree;
  link(tree, "a", "b");
  link(tree, "b", "a");
  CHECK(!contents_of(tree).resolved("a"));
}

TEST_CASE("headers of other packages are the names that neither the tree nor a system has") {
  const test::Tree tree;
  tree.write("include/x.h", "#include <stdio.h>\n#include \"crt/host_config.h\"\n#include <nv/target>\n"
                            "#include \"detail/y.h\"\n#include <x/z.h>\n");
  tree.write("include/detail/y.h", "#include \"../x.h\"\n#include \"missing.h\"\n#include <missing.h>\n");
  tree.write("include/cccl/x/z.h", "");
  const Contents contents = contents_of(tree);
  REQUIRE(contents.headers.size() == 2);
  CHECK(contents.headers[0].path == "include/detail/y.h");
  CHECK(contents.headers[0].names == std::vector<std::string>{"missing.h"});
  CHECK(contents.headers[1].names == std::vector<std::string>{"crt/host_config.h", "nv/target"});
}

TEST_CASE("the version in the headers is that of the package's macros") {
  const test::Tree tree;
  tree.write("include/cudnn_version.h",
             "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 10\n#define CUDNN_PATCHLEVEL 2\n");
  CHECK(contents_of(tree, "cudnn").macros ==
        std::map<std::string, std::string>{{"include/cudnn_version.h", "9.10.2"}});
  CHECK(contents_of(tree, "libcublas").macros.empty());
}

TEST_CASE("names for pkg-config and CMake, and paths of other machines in their files and in scripts") {
  const test::Tree tree;
  tree.write("pkg-config/cuda-12.4.pc", "cudaroot=/usr/local/cuda-12.4\n");
  tree.write("lib/cmake/cub/cub-config.cmake", "set(x \"/home/builder/x\")\n");
  tree.write("bin/tool", "#!/bin/sh\nexec /opt/nvidia/tool\n");
  tree.write("include/x.h", "// /usr/local/cuda\n");
  const Contents contents = contents_of(tree);
  CHECK(contents.pkgconfig == std::vector<std::string>{"cuda-12.4"});
  CHECK(contents.cmake == std::vector<std::string>{"cub"});
  REQUIRE(contents.host_paths.size() == 3);
  CHECK(contents.host_paths[0].path == "bin/tool");
  CHECK(contents.host_paths[0].found == std::vector<HostPath>{{2, "/opt/nvidia/tool"}});
}

TEST_CASE("directories of lib for single CUDA releases are found, others are not") {
  const test::Tree tree;
  for (const char* name : {"lib/11/libx.so", "lib/11.0/libx.so", "lib/cmake/x", "lib/12", "other/10/libx.so"})
    tree.write(name, "");
  CHECK(contents_of(tree).cuda_directories == std::vector<std::string>{"11", "11.0"});
}

TEST_CASE("a library of objects for Windows is a static one, whatever its name") {
  const test::Tree tree;
  tree.write("lib/x64/cudadevrt.lib", "!<arch>\ncudadevrt.obj/                                  20        `\n"
                                      "\x64\x86                  ");
  const Contents contents = contents_of(tree);
  REQUIRE(contents.binaries.size() == 1);
  CHECK(contents.binaries[0].output == "static");
  CHECK(contents.files[0].output == "static");
}

TEST_CASE("a directory that does not exist is an error that names it") {
  const auto contents = inspect("/nonexistent/tree", "x", test::content_facts());
  REQUIRE(!contents);
  CHECK(contents.error().message.find("/nonexistent/tree") != std::string::npos);
}
