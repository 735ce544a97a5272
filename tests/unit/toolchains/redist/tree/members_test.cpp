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

namespace {

/// Lists the members of a tree, and counts how often it was read and proven.
struct Listing {
  explicit Listing(const Trees& of) : trees(of) {}

  Result<std::vector<Member>> operator()(bool again = false) {
    const FileDigest digest = [&](const std::string& path) {
      ++reads;
      return sha256_of_file(path);
    };
    const TreeProof proof = [&]() -> Result<void> {
      ++proofs;
      return is_proven ? Result<void>() : failure("changed");
    };
    return stored_members(trees.path("tree0"), trees.path("list"), digest, proof, again);
  }

  const Trees& trees;
  int reads = 0, proofs = 0;
  bool is_proven = true;
};

} // namespace

TEST_CASE("stored members are used instead of reading the files again") {
  Trees trees;
  trees.add(archive("a"), {{"lib/l.so", "->l.so.1"}, {"lib/l.so.1", "so"}});
  Listing listed(trees);
  REQUIRE(listed());
  const auto again = listed();
  REQUIRE(again);
  CHECK(*again == trees.trees[0].members);
  CHECK(listed.reads == 1);
  CHECK(listed.proofs == 1);
  REQUIRE(listed(true));
  CHECK(listed.reads == 2);
  CHECK(listed.proofs == 2);
}

TEST_CASE("a tree is proven and read again if a member has another size, time, mode or link") {
  Trees trees;
  trees.add(archive("a"), {{"lib/l.so", "->l.so.1"}, {"lib/l.so.1", "so"}});
  const std::string file = trees.path("tree0/lib/l.so.1"), link = trees.path("tree0/lib/l.so");
  Listing listed(trees);
  REQUIRE(listed());
  int proofs = 1;
  const auto is_read_again = [&] {
    CHECK(listed());
    CHECK(listed.proofs == ++proofs);
    CHECK(listed());
    CHECK(listed.proofs == proofs);
  };
  std::filesystem::last_write_time(file, std::filesystem::file_time_type(std::chrono::seconds(1)));
  is_read_again();
  Trees::write(file, "longer");
  is_read_again();
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  is_read_again();
  std::filesystem::remove(link);
  std::filesystem::create_symlink("other", link);
  is_read_again();
  Trees::write(trees.path("list"), "hostpin members 1\nend\n"); // of another release
  is_read_again();
  listed.is_proven = false;
  Trees::write(file, "so");
  CHECK_FALSE(listed());
  CHECK(listed.reads == proofs);
}

TEST_CASE("a damaged or cut list is refused") {
  const std::string text = members_text({{"a", "", std::string(64, 'a'), 3, false, 7}});
  CHECK(read_members(text, "f"));
  CHECK_FALSE(read_members(text.substr(0, text.size() - 4), "f"));
  CHECK_FALSE(read_members("", "f"));
  for (const auto& [from, to] :
       {std::pair("\ta\t", "\t../a\t"), {"f\t", "q\t"}, {"\t7\t", "\ty\t"}, {"\t3\t", "\tx\t"}}) {
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
