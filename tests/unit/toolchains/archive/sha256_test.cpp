// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/archive/sha256.hpp"

#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;

// The examples of FIPS 180-4, as NIST publishes them.
constexpr const char* of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* of_a_million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST_CASE("SHA-256 of the published examples, in any pieces") {
  CHECK(sha256_of("") == of_nothing);
  CHECK(sha256_of("abc") == of_abc);
  const std::string million(1'000'000, 'a');
  for (const std::size_t piece : {std::size_t{1}, std::size_t{63}, std::size_t{64}, million.size()}) {
    Sha256 hash;
    for (std::size_t at = 0; at < million.size(); at += piece)
      hash.update(std::string_view(million).substr(at, piece));
    CHECK(hash.hex() == of_a_million);
  }
}

TEST_CASE("a file is hashed from its beginning, up to a length, without moving its offset") {
  const test::Tree tree;
  const std::string path = tree.write("f", "abcdef");
  CHECK(sha256_of_file(tree.write("m", std::string(1'000'000, 'a'))).value_or("") == of_a_million);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  ::lseek(file, 5, SEEK_SET);
  Sha256 hash;
  CHECK(update_from_file(hash, file, 3, path).value_or(0) == 3);
  CHECK(hash.hex() == of_abc);
  Sha256 whole;
  CHECK(update_from_file(whole, file, 99, path).value_or(0) == 6);
  CHECK(::lseek(file, 0, SEEK_CUR) == 5);
  ::close(file);
}

TEST_CASE("a file that cannot be hashed is named") {
  const auto absent = sha256_of_file("/nonexistent/f");
  REQUIRE(!absent);
  CHECK(absent.error().message == "cannot read /nonexistent/f: No such file or directory");
}
