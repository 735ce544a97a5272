// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/memory.hpp"
#include "tests/tree.hpp"

#include <chrono>
#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::Tree;

namespace {

void age(const std::string& path, std::chrono::hours hours) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - hours);
}

} // namespace

TEST_CASE("an answer is cached until a file that it depends on changes") {
  const Tree scratch;
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
  SUBCASE("by being removed") {
    std::filesystem::remove(compiler);
  }
  SUBCASE("by appearing") {
    scratch.write("none", "");
  }
  CHECK_FALSE(recall(tools, {"question"}));
}

TEST_CASE("nothing is cached if a file may still be being written") {
  const Tree scratch;
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

TEST_CASE("the cache is bounded, and the oldest answers are removed first") {
  const Tree scratch;
  const Environment environment;
  const DiskFiles files;
  const HostProcesses processes;
  const LinkTools tools{environment, files, processes, scratch.path("cache"), "/here"};
  const auto kept = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tools.cache))
      count += entry.path().filename() == "somebody's" ? 0 : 1;
    return count;
  };
  SUBCASE("by their number") {
    remember(tools, {"first"}, "text", {});
    for (const auto& entry : std::filesystem::directory_iterator(tools.cache))
      age(entry.path().string(), std::chrono::hours{1});
    scratch.write("cache/somebody's", "");
    for (std::size_t i = 0; i < most_answers; ++i)
      remember(tools, {std::to_string(i)}, "text", {});
    CHECK(kept() == most_answers / 4 * 3);
    CHECK_FALSE(recall(tools, {"first"}));
    CHECK(recall(tools, {std::to_string(most_answers - 1)}));
    CHECK(std::filesystem::exists(tools.cache + "/somebody's"));
  }
  SUBCASE("by their bytes") {
    const std::string long_text(std::size_t{3} << 20U, 'x');
    for (int i = 0; i < 12; ++i)
      remember(tools, {std::to_string(i)}, long_text, {});
    CHECK(kept() * long_text.size() <= most_answer_bytes);
    CHECK(kept() > 0);
  }
}
