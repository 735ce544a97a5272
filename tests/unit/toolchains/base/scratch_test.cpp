// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin;
namespace fs = std::filesystem;

TEST_CASE("a scratch directory is private, and removed with its content") {
  std::string path;
  {
    const auto made = ScratchDirectory::make(fs::temp_directory_path().string());
    REQUIRE(made);
    path = made->path();
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    fs::create_directories(path + "/deep/er");
    std::ofstream(path + "/deep/er/file") << "text";
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a scratch directory that was moved from removes nothing") {
  auto first = ScratchDirectory::make(fs::temp_directory_path().string());
  REQUIRE(first);
  const ScratchDirectory second = std::move(*first);
  first = failure("gone");
  CHECK(fs::exists(second.path()));
}

TEST_CASE("if none can be created, the error says where and what to do") {
  const auto made = ScratchDirectory::make(Environment(Environment::Variables{{"TMPDIR", "/nonexistent"}}));
  REQUIRE_FALSE(made);
  CHECK(made.error().message == "cannot make a directory in /nonexistent: No such file or directory");
  CHECK(made.error().hint == "set TMPDIR to a directory that can be written");
}
