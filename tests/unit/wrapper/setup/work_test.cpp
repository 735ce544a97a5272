// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/wrapper/setup/plans.hpp"
#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/setup/work.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

TEST_CASE("a piece is complete if its mark is that of the same files") {
  const Piece piece = sample_plan().pieces[0];
  test::FakeFiles files;
  CHECK_FALSE(is_complete(piece, "/d", files));
  files.file(std::string("/d/cuda/") + piece_mark, digest_of(piece) + '\n');
  CHECK(is_complete(piece, "/d", files));
  Piece other = piece;
  other.packages[0].version = "2";
  CHECK_FALSE(is_complete(other, "/d", files));
}

TEST_CASE("what an earlier run fetched is not missing") {
  const auto room = ScratchDirectory::make(Environment());
  REQUIRE(room);
  const DiskFiles files;
  const std::string work = room->path() + "/.work";
  const auto write = [](const std::string& path, std::size_t size) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    REQUIRE(replace_file(path, std::string(size, 'x'), false));
  };
  Plan plan;
  Piece piece = sample_plan().pieces[1];
  piece.packages[0].bytes = 100;
  plan.pieces = {piece};
  CHECK(missing_bytes(plan, room->path(), files) == 100);
  write(work + "/files/compilers-gcc-13/g++.deb", 40);
  CHECK(missing_bytes(plan, room->path(), files) == 60);
  write(work + "/files/compilers-gcc-13/g++.deb", 100);
  CHECK(missing_bytes(plan, room->path(), files) == 0);
  std::filesystem::remove_all(work + "/files");
  plan.pieces[0].suite = "redist"; // which is fetched into a store
  CHECK(missing_bytes(plan, room->path(), files) == 100);
  write(work + "/store/partial/sha256-" + piece.packages[0].sha256, 30);
  CHECK(missing_bytes(plan, room->path(), files) == 70);
  write(work + "/composing", 0);
  CHECK(missing_bytes(plan, room->path(), files) == 100);
}

TEST_CASE("carried files are compared with their hashes") {
  const auto room = ScratchDirectory::make(Environment());
  REQUIRE(room);
  Piece piece = sample_plan().pieces[1];
  piece.packages[0].sha256 = sha256_of("the package");
  const auto missing = verify_files(piece, room->path());
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message == "g++.deb is missing in " + room->path() + " for GCC 13.3.0");
  CHECK(missing.error().hint == "bring it: http://deb.debian.org/pool/g++.deb");
  Piece two = piece;
  two.packages.push_back(two.packages[0]);
  two.packages[1].file = "gcc.deb";
  const auto both = verify_files(two, room->path());
  REQUIRE_FALSE(both);
  CHECK(both.error().message == "g++.deb, gcc.deb are missing in " + room->path() + " for GCC 13.3.0");
  CHECK(both.error().hint.starts_with("bring them:\n  http://deb.debian.org/pool/g++.deb\n  http"));
  REQUIRE(replace_file(room->path() + "/g++.deb", "another one", false));
  const auto wrong = verify_files(piece, room->path());
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.find("damaged or another file") != std::string::npos);
  REQUIRE(replace_file(room->path() + "/g++.deb", "the package", false));
  CHECK(verify_files(piece, room->path()));
}
