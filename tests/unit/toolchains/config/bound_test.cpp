// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/config/bound.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

using Contents = std::map<std::string, std::string>;

TEST_CASE("the bound toolchain of a view lies in its room") {
  const FilesMap files(Contents{{"/bound/binding.toml", ""}, {"/view/hostpin/binding.toml", ""}});
  CHECK(bound_room(files, "/bound") == "/bound");
  CHECK(bound_room(files, "/view") == "/view/hostpin");
  CHECK(bound_room(files, "/nothing") == "/nothing");
}

TEST_CASE("who was bound is read, and what is absent or of another kind is left out") {
  const FilesMap files(Contents{{"/b/binding.toml", R"(
[toolkit]
root = "/cuda"
nvcc = 1
[host]
command = ["/usr/bin/clang++-19", "-m64"]
family = "clang"
version = "19.1.7"
glibc = "no version"
[stdenv]
gcc-install = "/usr/lib/gcc/x86_64-linux-gnu/15"
[stdenv.libstdcxx]
release = -1
glibcxx = "3.4.34"
)"}});
  const auto toml = read_bound(files, "/b");
  REQUIRE(toml.has_value());
  const auto tools = bound_tools(*toml, "/b");
  REQUIRE(tools.has_value());
  CHECK(tools->toolkit.root == "/cuda");
  CHECK(tools->toolkit.nvcc.empty());
  CHECK(tools->host.command == std::vector<std::string>{"/usr/bin/clang++-19", "-m64"});
  CHECK(tools->host.family == Family::clang);
  CHECK(tools->host.version == Version{19, 1, 7});
  CHECK_FALSE(tools->host.glibc.has_value());
  CHECK(tools->stdenv.gcc_install == "/usr/lib/gcc/x86_64-linux-gnu/15");
  CHECK(tools->stdenv.library.release == 0);
  CHECK(tools->stdenv.library.glibcxx == "3.4.34");
}
