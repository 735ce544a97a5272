// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/no_threads.hpp"
#include "tests/tree.hpp"
#include "toolchains/redist/store/partial.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

const PartOrigin origin{"https://example.org/x", "\"tag\""};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("an origin is read as it was written, and nothing else is one") {
  CHECK(read_origin(origin_text(origin)) == origin);
  for (const char* const text :
       {"", "hostpin part 1\n", "hostpin part 1\nurl\n", "hostpin part 1\nurl\ntag",
        "hostpin part 1\n\ntag\n", "hostpin part 1\nurl\n\n", "hostpin part 1\nurl\ntag\nmore\n",
        "hostpin part 2\nurl\ntag\n", "hostpin part 1\nurl\ta\ntag\n"})
    CHECK_FALSE(read_origin(text));
}

TEST_CASE("a partial file continues where it was, with the hash of everything") {
  const test::Tree tree;
  const std::string path = tree.path("p"), large(3'000'000, 'a');
  {
    auto file = PartialFile::open(path, 10'000'000);
    REQUIRE(file);
    CHECK(file->size() == 0);
    REQUIRE(file->restart(origin));
    REQUIRE(file->append(large));
  }
  for (const std::string& each : {path, path + ".from"})
    CHECK(std::filesystem::status(each).permissions() == std::filesystem::perms(0600));
  auto file = PartialFile::open(path, 10'000'000);
  REQUIRE(file);
  CHECK(file->size() == large.size());
  CHECK(file->origin() == origin);
  REQUIRE(file->append("b"));
  CHECK(file->sha256().value_or("") == sha256_of(large + "b"));
  CHECK(content(path) == large + "b");
}

TEST_CASE("what has no origin, or is too long, is not continued") {
  const test::Tree tree;
  const std::string path = tree.write("p", "something");
  CHECK(PartialFile::open(path, 100)->size() == 0);
  CHECK(content(path).empty());
  tree.write("p", "something");
  tree.write("p.from", origin_text(origin));
  CHECK(PartialFile::open(path, 100)->size() == 9);
  CHECK(PartialFile::open(path, 8)->size() == 0);
}

TEST_CASE("content of another origin replaces what was there, and without a validator cannot be continued") {
  const test::Tree tree;
  const std::string path = tree.write("p", "something");
  tree.write("p.from", origin_text(origin));
  {
    auto file = PartialFile::open(path, 100);
    REQUIRE(file);
    REQUIRE(file->restart({"https://example.org/y", ""}));
    CHECK_FALSE(file->origin());
    CHECK_FALSE(std::filesystem::exists(path + ".from"));
    REQUIRE(file->append("other"));
    CHECK(file->sha256().value_or("") == sha256_of("other"));
  }
  CHECK(PartialFile::open(path, 100)->size() == 0);
  PartialFile::remove(path);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a hash begins again, also with bytes that wait to be hashed") {
  HashingThread hash;
  hash.add(std::string(5'000'000, 'x'));
  hash.restart();
  hash.add("abc");
  CHECK(hash.finish().value_or("") == sha256_of("abc"));
  CHECK(hash.finish().value_or("") == sha256_of(""));
}

TEST_CASE("a hash is made also where no thread can be") {
  const test::NoThreads none;
  HashingThread hash;
  hash.add(std::string(5'000'000, 'x'));
  hash.restart();
  hash.add(std::string(3'000'000, 'y'));
  hash.add("abc");
  CHECK(hash.finish().value_or("") == sha256_of(std::string(3'000'000, 'y') + "abc"));
}
