// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/redist/facts.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

TEST_CASE("platforms and products are those of the data files") {
  const auto facts = load_facts(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE_MESSAGE(facts, facts.error().message);
  REQUIRE(facts->platform("linux-sbsa") != nullptr);
  CHECK(facts->platform("linux-sbsa")->target == "sbsa-linux");
  CHECK(facts->platform("linux-aarch64")->jetson);
  CHECK(facts->platform("windows-x86_64")->format == "zip");
  CHECK(facts->platform("linux-riscv64") == nullptr);
  REQUIRE(facts->product("cuda") != nullptr);
  CHECK(facts->product("cuda")->base == "https://developer.download.nvidia.com/compute/cuda/redist/");
}

TEST_CASE("packages that are listed under other names are rows, too") {
  const auto facts = load_facts(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(facts);
  REQUIRE(facts->rename_of("cuda_cccl") != nullptr);
  CHECK(facts->rename_of("cuda_cccl")->to == std::vector<std::string>{"cccl"});
  CHECK(facts->rename_of("cuda_nvcc")->since == "13.0");
  CHECK(facts->rename_of("libcublas") == nullptr);
}

TEST_CASE("a row without a source is refused") {
  const std::map<std::string, std::string> texts = {
      {"/d/platforms.toml",
       "[[platform]]\nname = \"a\"\ntarget = \"t\"\ntriple = \"x\"\nmachine = \"m\"\nformat = \"tar\"\n"},
      {"/d/redist.toml", "[[product]]\n"}};
  const FilesMap files(texts);
  const auto facts = load_facts(files, "/d");
  REQUIRE_FALSE(facts);
  CHECK(facts.error().message.find("source") != std::string::npos);
}
