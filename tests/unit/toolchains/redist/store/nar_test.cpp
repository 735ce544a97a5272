// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/redist/store/nar.hpp"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

// What `nix-hash --type sha256` of Nix 2.8 prints for the tree below, its link, its empty file and its
// program. tests/e2e/redist/store.sh compares with the Nix of the machine.
constexpr const char* nix_tree = "af214bf9987e4fa253abdd4ca11b6be94189f8bb9533c2fb20bf6b47766e13cb";
constexpr const char* nix_link = "5117866d6ef58d5040d76249d96205f1e0a658629eb7be9cda198fe23ba8a557";
constexpr const char* nix_empty = "77ac62e2629d8e45f624589c0c8bf99e24b3a722349bf1e79bc186008534e246";
constexpr const char* nix_program = "65436039d3f93ca19a8dbf1c60b15739ed58f53f14b8d372acc1b351533010fa";

void fill(const test::Tree& tree) {
  tree.write("t/bin/run", "hello\n");
  ::chmod(tree.path("t/bin/run").c_str(), 0755);
  std::filesystem::create_directories(tree.path("t/empty"));
  tree.write("t/odd name/\xc3\xa9 \n", "z");
  tree.write("t/eight", "12345678");
  tree.write("t/none", "");
  tree.write("t/a.b", "x");
  tree.write("t/a/b", "y");
  tree.write("t/B", "1");
  std::filesystem::create_symlink("bin/run", tree.path("t/link"));
}

std::string hash_of(const std::string& path) {
  const auto hash = nar_sha256(path);
  return hash ? *hash : hash.error().message;
}

} // namespace

TEST_CASE("the hash of a tree is that of Nix") {
  const test::Tree tree;
  fill(tree);
  CHECK(hash_of(tree.path("t")) == nix_tree);
  CHECK(hash_of(tree.path("t/link")) == nix_link);
  CHECK(hash_of(tree.path("t/none")) == nix_empty);
  CHECK(hash_of(tree.path("t/bin/run")) == nix_program);
}

TEST_CASE("the hash of a tree covers execute bits, targets and names, not other permissions and times") {
  const test::Tree tree;
  fill(tree);
  ::chmod(tree.path("t/eight").c_str(), 0400);
  std::filesystem::last_write_time(tree.path("t/eight"), std::filesystem::file_time_type{});
  CHECK(hash_of(tree.path("t")) == nix_tree);
  SUBCASE("execute bit") {
    ::chmod(tree.path("t/eight").c_str(), 0500);
  }
  SUBCASE("name") {
    std::filesystem::rename(tree.path("t/B"), tree.path("t/C"));
  }
  SUBCASE("target") {
    std::filesystem::remove(tree.path("t/link"));
    std::filesystem::create_symlink("bin/ru", tree.path("t/link"));
  }
  SUBCASE("an empty directory") {
    std::filesystem::remove(tree.path("t/empty"));
  }
  CHECK(hash_of(tree.path("t")) != nix_tree);
}

TEST_CASE("what a Nix archive cannot contain has no hash, and is named") {
  const test::Tree tree;
  fill(tree);
  REQUIRE(::mkfifo(tree.path("t/pipe").c_str(), 0600) == 0);
  CHECK(hash_of(tree.path("t")).find("t/pipe is neither a file") != std::string::npos);
  CHECK(hash_of(tree.path("absent")).find("absent: No such file") != std::string::npos);
}
