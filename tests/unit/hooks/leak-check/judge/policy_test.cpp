// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/policy.hpp"
#include "tests/tree.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

std::string gcc_table(const std::string& name, const std::string& install, const std::string& command) {
  return "[" + name + "]\ncommand = [\"" + command + "\"]\nfamily = \"gcc\"\nfront-end = \"" + install +
         "/cc1plus\"\ngcc-install = \"" + install + "\"\n";
}

std::string binding(const std::string& host_install, const std::string& stdenv_install) {
  return "format = 1\n[toolkit]\nroot = \"/opt/cuda-12\"\nnvcc = \"/opt/cuda/bin/nvcc\"\n" +
         gcc_table("host", host_install, "/elsewhere/host-g++") +
         gcc_table("stdenv", stdenv_install, "/elsewhere/stdenv-g++") +
         "[stdenv.libstdcxx]\nrelease = 13\npath = \"/elsewhere/lib/libstdc++.so.6\"\n";
}

bool wants(const Policy& policy, const std::string& path, UnwantedPath::Kind kind) {
  for (const UnwantedPath& row : policy.unwanted)
    if (row.path == path && row.kind == kind)
      return true;
  return false;
}

} // namespace

TEST_CASE("a host compiler with its own prefix is unwanted as a whole, and so is nvcc") {
  const test::Tree tree;
  tree.write("binding.toml",
             binding("/opt/gcc-11/lib/gcc/x86_64-linux-gnu/11", "/opt/gcc-13/lib/gcc/x86_64-linux-gnu/13"));
  Policy policy;
  REQUIRE(add_binding(policy, DiskFiles(), tree.root()));
  CHECK(wants(policy, "/opt/gcc-11", UnwantedPath::Kind::host_compiler));
  CHECK(wants(policy, "/opt/gcc-11/lib/gcc/x86_64-linux-gnu/11", UnwantedPath::Kind::host_compiler));
  CHECK(wants(policy, "/elsewhere/host-g++", UnwantedPath::Kind::host_compiler));
  CHECK(wants(policy, "/opt/cuda-12/bin", UnwantedPath::Kind::toolkit_program));
  CHECK(wants(policy, "/opt/cuda/bin", UnwantedPath::Kind::toolkit_program));
  CHECK(policy.libstdcxx == "/elsewhere/lib/libstdc++.so.6");
  CHECK(policy.libstdcxx_release == 13);
  CHECK(policy.compiler_prefixes == std::vector<std::string>{"/elsewhere", "/opt/gcc-11"});
  CHECK(policy.libgcc.empty());
}

TEST_CASE("where programs search for the NVIDIA driver is as the binding has it") {
  const test::Tree tree;
  const std::string text =
      binding("/opt/gcc-11/lib/gcc/x86_64-linux-gnu/11", "/opt/gcc-13/lib/gcc/x86_64-linux-gnu/13");
  tree.write("binding.toml", text);
  Policy policy;
  REQUIRE(add_binding(policy, DiskFiles(), tree.root()));
  CHECK(policy.driver_path.empty());
  tree.write("binding.toml", text + "[link]\ndriver-path = [\"/opt/cuda-12/compat\", \"/drivers\"]\n");
  REQUIRE(add_binding(policy, DiskFiles(), tree.root()));
  CHECK(policy.driver_path == std::vector<std::string>{"/opt/cuda-12/compat", "/drivers"});
}

TEST_CASE("a toolkit view has its binding in hostpin/") {
  const test::Tree tree;
  tree.write("hostpin/binding.toml",
             binding("/opt/gcc-11/lib/gcc/x86_64-linux-gnu/11", "/opt/gcc-13/lib/gcc/x86_64-linux-gnu/13"));
  Policy policy;
  REQUIRE(add_binding(policy, DiskFiles(), tree.root()));
  CHECK(wants(policy, "/opt/gcc-11", UnwantedPath::Kind::host_compiler));
}

TEST_CASE(
    "only the own directory of a host compiler is unwanted if it is installed among the system's files") {
  const test::Tree tree;
  tree.write("binding.toml", binding("/usr/lib/gcc/x86_64-linux-gnu/11", "/usr/lib/gcc/x86_64-linux-gnu/13"));
  Policy policy;
  REQUIRE(add_binding(policy, DiskFiles(), tree.root()));
  CHECK(wants(policy, "/usr/lib/gcc/x86_64-linux-gnu/11", UnwantedPath::Kind::host_compiler));
  for (const UnwantedPath& row : policy.unwanted)
    CHECK(row.path != "/usr");
}

TEST_CASE("a prefix that the stdenv shares is not unwanted") {
  const test::Tree tree;
  tree.write("binding.toml",
             binding("/opt/gnu/lib/gcc/x86_64-linux-gnu/11", "/opt/gnu/lib/gcc/x86_64-linux-gnu/13"));
  Policy policy;
  REQUIRE(add_binding(policy, DiskFiles(), tree.root()));
  CHECK(wants(policy, "/opt/gnu/lib/gcc/x86_64-linux-gnu/11", UnwantedPath::Kind::host_compiler));
  CHECK_FALSE(wants(policy, "/opt/gnu", UnwantedPath::Kind::host_compiler));
}

TEST_CASE("a stdenv that compiles for nvcc itself is not unwanted") {
  const test::Tree tree;
  const std::string install = "/opt/gcc-13/lib/gcc/x86_64-linux-gnu/13";
  tree.write("binding.toml", binding(install, install));
  Policy policy;
  REQUIRE(add_binding(policy, DiskFiles(), tree.root()));
  for (const UnwantedPath& row : policy.unwanted)
    CHECK(row.kind != UnwantedPath::Kind::host_compiler);
}

TEST_CASE("a directory without a binding, and a file that is not one, are errors") {
  const test::Tree tree;
  Policy policy;
  CHECK_FALSE(add_binding(policy, DiskFiles(), tree.root()));
  tree.write("binding.toml", "format = 1\n");
  CHECK_FALSE(add_binding(policy, DiskFiles(), tree.root()));
  tree.write("binding.toml", "[host\n");
  CHECK_FALSE(add_binding(policy, DiskFiles(), tree.root()));
}

TEST_CASE("a file of forbidden paths has one on each line") {
  const test::Tree tree;
  Policy policy;
  REQUIRE(add_forbidden_file(policy, DiskFiles(), tree.write("list", "# why\n/opt/a\n\n/opt/b c\r\n/opt/d")));
  REQUIRE(policy.unwanted.size() == 3);
  CHECK(policy.unwanted[1].path == "/opt/b c");
  CHECK(policy.unwanted[2].path == "/opt/d");
  CHECK_FALSE(add_forbidden_file(policy, DiskFiles(), tree.path("absent")));
}

TEST_CASE("a path is unwanted as spelt and with its symlinks resolved") {
  const test::Tree tree;
  std::filesystem::create_directories(tree.path("gcc-11.3/lib"));
  std::filesystem::create_directory_symlink("gcc-11.3", tree.path("gcc-11"));
  Policy policy;
  policy.unwanted.push_back({tree.path("gcc-11/"), UnwantedPath::Kind::host_compiler});
  policy.unwanted.push_back({tree.path("gcc-11"), UnwantedPath::Kind::build_directory});
  const auto unwanted = Unwanted::make(policy, DiskFiles());
  REQUIRE(unwanted);
  REQUIRE(unwanted->covering(tree.path("gcc-11/lib")) != nullptr);
  CHECK(unwanted->covering(tree.path("gcc-11/lib"))->kind == UnwantedPath::Kind::host_compiler);
  CHECK(unwanted->covering(tree.path("gcc-11.3/lib")) != nullptr);
  CHECK(unwanted->covering(tree.path("gcc-1")) == nullptr);
}

TEST_CASE("a forbidden path that is not absolute is an error") {
  Policy policy;
  policy.unwanted.push_back({"gcc-11", UnwantedPath::Kind::forbidden});
  CHECK_FALSE(Unwanted::make(policy, DiskFiles()));
}
