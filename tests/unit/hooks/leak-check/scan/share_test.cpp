// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/share.hpp"
#include "tests/tree.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

/// Bytes that each of `of` shards looks at. Every entry is to be taken by one.
std::vector<std::uint64_t> divided(const std::vector<std::string>& roots, std::uint32_t of) {
  std::vector<std::uint64_t> bytes(of);
  std::vector<Share> shares;
  for (std::uint32_t index = 1; index <= of; ++index)
    shares.emplace_back(roots, "", ShardNumber{index, of});
  Walk walk(roots);
  std::uint64_t entries = 0;
  while (const auto entry = walk.next()) {
    ++entries;
    unsigned takers = 0;
    for (std::uint32_t i = 0; i < of; ++i)
      if (shares[i].take(*entry)) {
        ++takers;
        bytes[i] += entry->size;
      }
    REQUIRE(takers == 1);
  }
  for (const Share& share : shares) {
    CHECK(share.met() == share.planned());
    CHECK(share.met() == shares.front().met());
    CHECK(share.entries() == entries);
  }
  return bytes;
}

void write_large(const test::Tree& tree, const std::string& name, std::uint64_t size) {
  std::filesystem::resize_file(tree.write(name, ""), size); // sparse
}

} // namespace

TEST_CASE("each entry of a tree belongs to one shard, whatever it is called") {
  const test::Tree tree;
  for (int i = 0; i < 300; ++i)
    tree.write(std::string("d") + std::to_string(i % 7) + "/\xFF f\n" + std::to_string(i),
               std::string(100, 'x'));
  std::filesystem::create_symlink("nowhere", tree.path("link"));
  for (const std::uint32_t of : {1U, 2U, 3U, 8U}) {
    const auto bytes = divided({tree.root()}, of);
    CHECK(*std::min_element(bytes.begin(), bytes.end()) > 30'000 / of / 2);
  }
}

TEST_CASE("large files are spread evenly, and one that is larger than all others has a shard to itself") {
  const test::Tree tree;
  for (int i = 0; i < 40; ++i)
    write_large(tree, std::string("large") + std::to_string(i),
                (std::uint64_t{2} << 20U) + std::uint64_t(i) * 1000);
  for (const std::uint32_t of : {2U, 4U, 5U}) {
    const auto bytes = divided({tree.root()}, of);
    CHECK(*std::max_element(bytes.begin(), bytes.end()) - *std::min_element(bytes.begin(), bytes.end()) <
          std::uint64_t{1} << 20U);
  }
  write_large(tree, "huge", std::uint64_t{1} << 40U);
  const auto bytes = divided({tree.root()}, 4);
  CHECK(std::count(bytes.begin(), bytes.end(), std::uint64_t{1} << 40U) == 1);
}

TEST_CASE("a file that several of the paths lead to belongs to one shard, as often as it is named") {
  const test::Tree tree;
  std::vector<std::string> roots = {tree.root()};
  for (int i = 0; i < 9; ++i) {
    const std::string name = "lib/large" + std::to_string(i);
    write_large(tree, name, std::uint64_t{2} << 20U);
    roots.push_back(tree.path(name));
  }
  tree.write("lib/small", "x");
  roots.insert(roots.end(), {tree.path("lib"), tree.path("lib/small"), tree.path("lib/small")});
  for (const std::uint32_t of : {2U, 3U, 8U}) {
    const auto bytes = divided(roots, of);
    CHECK(*std::max_element(bytes.begin(), bytes.end()) <=
          ((9 + of - 1) / of) * (std::uint64_t{6} << 20U) + 6);
  }
}

TEST_CASE("a print of a tree is another one for another name, size, target or time of change") {
  const auto print = [](const test::Tree& tree) {
    std::filesystem::current_path(tree.root());
    TreePrint all;
    Walk walk({"."});
    while (const auto entry = walk.next())
      all.add(*entry);
    return all.value();
  };
  const auto before = std::filesystem::current_path();
  const test::Tree tree;
  const std::string file = tree.write("a", "x");
  std::filesystem::create_symlink("a", tree.path("link"));
  const auto then = std::filesystem::last_write_time(file);
  const std::uint64_t first = print(tree);
  CHECK(print(tree) == first);
  std::filesystem::last_write_time(file, then - std::chrono::seconds(2));
  CHECK(print(tree) != first);
  tree.write("a", "xy");
  std::filesystem::last_write_time(file, then);
  CHECK(print(tree) != first);
  tree.write("a", "y");
  std::filesystem::last_write_time(file, then);
  CHECK(print(tree) == first); // what it holds is not looked at
  std::filesystem::rename(file, tree.path("b"));
  CHECK(print(tree) != first);
  std::filesystem::rename(tree.path("b"), file);
  std::filesystem::remove(tree.path("link"));
  std::filesystem::create_symlink("b", tree.path("link"));
  CHECK(print(tree) != first);
  std::filesystem::current_path(before);
}
