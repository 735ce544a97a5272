// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/metadata/file_name.hpp"

#include <doctest/doctest.h>

using namespace hostpin::wheel;

TEST_CASE("the parts of a wheel's name are those between its hyphens") {
  const auto name =
      read_wheel_name("torch_x-2.9.0+cu130-cp311.cp312-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl");
  REQUIRE(name);
  CHECK(name->distribution == "torch_x");
  CHECK(name->version == "2.9.0+cu130");
  CHECK(name->build.empty());
  CHECK(name->variant.empty());
  CHECK(name->pythons.size() == 2);
  CHECK(name->platforms.size() == 2);
  CHECK(name->tags().size() == 4);
  CHECK(name->tags().front() == "cp311-abi3-manylinux_2_17_x86_64");
}

TEST_CASE("a build tag begins with a digit, and what follows the platform is a variant's label") {
  const auto built = read_wheel_name("a-1-2b-py3-none-any.whl");
  REQUIRE(built);
  CHECK(built->build == "2b");
  const auto variant = read_wheel_name("a-1-py3-none-linux_x86_64-cu13_sm90.whl");
  REQUIRE(variant);
  CHECK(variant->build.empty());
  CHECK(variant->variant == "cu13_sm90");
  const auto both = read_wheel_name("a-1-2b-py3-none-linux_x86_64-cu13.whl");
  REQUIRE(both);
  CHECK(both->build == "2b");
  CHECK(both->variant == "cu13");
}

TEST_CASE("other names are refused") {
  for (const char* const name :
       {"", "a.whl", "a-1.whl", "a-1-py3-none.whl", "a-1-py3-none-any.zip", "a--py3-none-any.whl",
        "a-1-x-y-py3-none-any.whl", "a-1-py3-none-.whl", "a-1-py3-.-any.whl", "a-1-2-3-4-5-6-7.whl"}) {
    CAPTURE(name);
    CHECK_FALSE(read_wheel_name(name));
  }
}

TEST_CASE("names are compared without case, and with one kind of separator") {
  CHECK(normalised("Torch_Vision") == "torch-vision");
  CHECK(normalised("a-_.b") == "a-b");
}

TEST_CASE("a name that was read is written as it was") {
  for (const char* const name :
       {"p-1-py3-none-any.whl", "Torch_x-2.9.0+cu130-1b-cp311.cp312-abi3-a.b-label.whl"})
    CHECK(read_wheel_name(name)->file_name() == name);
}
