// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/trees.hpp"
#include "toolchains/redist/tree/members.hpp"

#include <sys/stat.h>

using namespace hostpin;
using namespace hostpin::redist;
using namespace hostpin::redist::test;

TEST_CASE("members are written and read, with links, modes and spaces") {
  Trees trees;
  trees.add(archive("a"), {{"bin/a program", "x"}, {"lib/l.so", "->l.so.1"}, {"lib/l.so.1", "so"}});
  const auto& members = trees.trees[0].members;
  REQUIRE(members.size() == 3);
  CHECK(members[1].link == "l.so.1");
  CHECK(members[2].sha256 == sha256_of("so"));
  const auto read = read_members(members_text(members), "f");
  REQUIRE(read);
  CHECK(*read == members);
}

TEST_CASE("stored members are used instead of reading the files again") {
  Trees trees;
  trees.add(archive("a"), {{"lib/l.so.1", "so"}});
  int reads = 0;
  const FileDigest counted = [&](const std::string& path) {
    ++reads;
    return sha256_of_file(path);
  };
  REQUIRE(stored_members(trees.path("tree0"), trees.path("list"), counted));
  const auto again = stored_members(trees.path("tree0"), trees.path("list"), counted);
  REQUIRE(again);
  CHECK(*again == trees.trees[0].members);
  CHECK(reads == 1);
}

TEST_CASE("a damaged or cut list is refused") {
  const std::string text = members_text({{"a", "", std::string(64, 'a'), 3, false}});
  CHECK(read_members(text, "f"));
  CHECK_FALSE(read_members(text.substr(0, text.size() - 4), "f"));
  CHECK_FALSE(read_members("", "f"));
  for (const auto& [from, to] : {std::pair("\ta\t", "\t../a\t"), {"f\t", "q\t"}, {"\t3\t", "\tx\t"}}) {
    std::string other = text;
    other.replace(other.find(from), std::string(from).size(), to);
    CHECK_FALSE(read_members(other, "f"));
  }
}

TEST_CASE("a tree with a FIFO is refused") {
  Trees trees;
  std::filesystem::create_directory(trees.path("tree"));
  REQUIRE(::mkfifo(trees.path("tree/fifo").c_str(), 0600) == 0);
  CHECK_FALSE(members_of(trees.path("tree"), sha256_of_file));
}

TEST_CASE("a tree with names that are not UTF-8 is refused") {
  Trees trees;
  std::filesystem::create_directory(trees.path("tree"));
  std::filesystem::create_symlink("caf\xe9", trees.path("tree/link"));
  CHECK_FALSE(members_of(trees.path("tree"), sha256_of_file));
  std::filesystem::remove(trees.path("tree/link"));
  std::filesystem::create_directory(trees.path("tree/caf\xe9"));
  CHECK(members_of(trees.path("tree"), sha256_of_file));
  std::filesystem::create_symlink("file", trees.path("tree/caf\xe9/link"));
  CHECK_FALSE(members_of(trees.path("tree"), sha256_of_file));
}
