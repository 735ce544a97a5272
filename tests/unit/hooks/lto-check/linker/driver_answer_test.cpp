// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/driver_answer.hpp"
#include "tests/tree.hpp"
#include "toolchains/base/search.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

namespace {

/// A driver that prints how it was called, on either stream.
struct Machine {
  explicit Machine(const std::string& script) : driver(scratch.write("bin/cc", "#!/bin/sh\n" + script)) {
    std::filesystem::permissions(driver, std::filesystem::perms::owner_all);
  }
  test::Tree scratch;
  std::string driver;
  Environment environment{{{"PATH", scratch.path("bin")}}};
  DiskFiles files;
  HostProcesses processes;
  LinkTools tools{environment, files, processes, "", "/"};
};

} // namespace

TEST_CASE("lines of an answer are found by their prefix") {
  const std::string text = "COLLECT_GCC=g++\n x\nCOLLECT_GCC=\nnot COLLECT_GCC=a\nCOLLECT_GCC=last";
  CHECK(marked(text, "COLLECT_GCC=") == std::vector<std::string_view>{"g++", "", "last"});
  CHECK(marked(text, " ") == std::vector<std::string_view>{"x"});
  CHECK(marked(text, "none").empty());
  CHECK(marked("", "a").empty());
}

TEST_CASE("a driver is asked with the option behind its own command") {
  const Machine machine("echo \"$0 $*\"; echo said >&2\n");
  const auto answer = driver_answer({"cc", "-o", "a b"}, "-###", machine.tools);
  REQUIRE(answer);
  CHECK(*answer == "said\n" + machine.driver + " -o a b -###\n");
}

TEST_CASE("a driver that fails, or does not exist, is an error that names it") {
  const Machine machine("echo 'cc: error: no such option' >&2; exit 1\n");
  const auto failed = driver_answer({"cc", "-odd"}, "-###", machine.tools);
  REQUIRE(!failed);
  CHECK(failed.error().message.find("cc does not print what it would run (-###)") == 0);
  CHECK(failed.error().message.find("no such option") != std::string::npos);
  const auto absent = driver_answer({"gone"}, "-###", machine.tools);
  REQUIRE(!absent);
  CHECK(absent.error().message == "there is no program gone");
}
