// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/base/own_files.hpp"

#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a file is read only if nobody else can have written it") {
  const test::Tree tree;
  const std::string file = tree.write("file", "bytes");
  REQUIRE(::chmod(file.c_str(), 0644) == 0);
  const DiskFiles any;
  const OwnFiles own;
  CHECK(own.read(file, 5).value() == "bytes");
  CHECK_FALSE(own.read(file, 4));
  CHECK_FALSE(own.read(tree.root(), 5));
  CHECK_FALSE(own.read(tree.path("absent"), 5));
  CHECK(own.status(file));
  REQUIRE(::chmod(file.c_str(), 0646) == 0);
  CHECK(any.read(file, 5));
  CHECK_FALSE(own.read(file, 5));
  REQUIRE(::chmod(file.c_str(), 0644) == 0);
  if (::geteuid() != 0)
    return; // only root can give files away
  REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
  CHECK(any.read(file, 5));
  CHECK_FALSE(own.read(file, 5));
}
