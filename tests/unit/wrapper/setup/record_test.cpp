// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/wrapper/setup/plans.hpp"
#include "wrapper/setup/record.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;
using hostpin::test::FakeFiles;

TEST_CASE("a record is read again as what later runs need") {
  const Record record{"/a \"b",
                      "0.1.0",
                      {"--cuda", "12.4"},
                      sample_plan(),
                      "/a \"b/cuda",
                      "/a \"b/compilers/gcc-13/bin/g++-13",
                      {{{"NVIDIA CUDA EULA", "CUDA 12.4.131", "https://e"}, "--accept-eula", "2026-01-01"}},
                      {{"licenses/cuda-x", std::string(64, 'd')}},
                      "/a \"b/stdenv/bin/g++-12"};
  const std::string text = record_text(record);
  CHECK(text.find("accepted = \"2026-01-01\"") != std::string::npos);
  CHECK(text.find("sha256 = \"" + std::string(64, 'd')) != std::string::npos);
  FakeFiles files;
  files.file("/d/setup.toml", text);
  const auto read = read_record(files, "/d");
  REQUIRE(read);
  REQUIRE(*read);
  CHECK((*read)->directory == "/a \"b");
  CHECK((*read)->request == record.request);
  CHECK((*read)->toolkit == record.toolkit);
  CHECK((*read)->compiler == record.compiler);
  CHECK((*read)->stdenv_driver == record.stdenv_driver);
  CHECK((*read)->places == std::vector<std::string>{"cuda", "compilers/gcc-13", "headers"});
  CHECK((*read)->titles[1] == "GCC 13.3.0");
}

TEST_CASE("a directory without a record is not set up, and a foreign record is refused") {
  FakeFiles files;
  CHECK_FALSE(*read_record(files, "/d"));
  for (const char* const text : {"x = 1\n", "schema = 2\ndirectory = \"/d\"\n", "schema = [\n", ""}) {
    files.file("/d/setup.toml", text);
    const auto read = read_record(files, "/d");
    REQUIRE_FALSE(read);
    CHECK(read.error().hint == "make it again: hostpin setup /d --refresh");
  }
}
