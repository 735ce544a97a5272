// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/memory.hpp"
#include "tests/unit/hooks/lto-check/bitstream/scratch.hpp"

#include <chrono>
#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Scratch;

namespace {

void age(const std::string& path, std::chrono::hours hours) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - hours);
}

} // namespace

TEST_CASE("an answer is remembered until a file that it rests on changes") {
  const Scratch scratch;
  const Environment environment;
  const DiskFiles files;
  const HostProcesses processes;
  const LinkTools tools{environment, files, processes, scratch.path("cache"), "/here"};
  const std::string compiler = scratch.write("lto1", "version 12");
  age(compiler, std::chrono::hours{2});

  CHECK_FALSE(recall(tools, {"question"}));
  remember(tools, {"question"}, "12.0\n\xff", {compiler, scratch.path("none")});
  CHECK(recall(tools, {"question"}));
  CHECK_FALSE(recall(tools, {"question", "of another"}));

  SUBCASE("by its content's size") {
    scratch.write("lto1", "version 13.1");
  }
  SUBCASE("by its time") {
    age(compiler, std::chrono::hours{1});
  }
  SUBCASE("by going") {
    std::filesystem::remove(compiler);
  }
  SUBCASE("by appearing") {
    scratch.write("none", "");
  }
  CHECK_FALSE(recall(tools, {"question"}));
}

TEST_CASE("nothing is remembered of a file that may still be being written") {
  const Scratch scratch;
  const Environment environment;
  const DiskFiles files;
  const HostProcesses processes;
  const LinkTools tools{environment, files, processes, scratch.path("cache"), "/here"};
  remember(tools, {"question"}, "text", {scratch.write("young", "now")});
  CHECK_FALSE(recall(tools, {"question"}));
  const LinkTools forgetful{environment, files, processes, "", "/here"};
  remember(forgetful, {"question"}, "text", {});
  CHECK_FALSE(recall(forgetful, {"question"}));
}
