// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/collect2.hpp"
#include "tests/tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using Strings = std::vector<std::string>;

namespace {

bool has(const Strings& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A driver that is a script, and starts collect2 as GCC does.
struct Script {
  explicit Script(const std::string& text) : driver(scratch.write("bin/g++", "#!/bin/sh\n" + text)) {
    std::filesystem::permissions(driver, std::filesystem::perms::owner_all);
  }
  LinkerRun run(const Strings& more = {}) {
    const Environment environment = Environment::from(::environ);
    Strings command{driver};
    command.insert(command.end(), more.begin(), more.end());
    return run_of_collect2(command, "", {environment, files, processes, "", "/"});
  }
  test::Tree scratch;
  std::string driver;
  DiskFiles files;
  HostProcesses processes;
};

} // namespace

TEST_CASE("a linker is run in the environment that a script makes") {
  ::setenv("REMOVED", "1", 1);
  ::setenv("KEPT", "1", 1);
  Script script("unset REMOVED\nexport ADDED='a b' PATH=/own:$PATH\n/usr/bin/env -0\n"
                "echo 'GNU ld 2.40'\nprintf 'collect2 version 12.2.0\\n/own/ld -plugin p\\n' >&2\n");
  const LinkerRun run = script.run();
  CHECK(run.linker == "/own/ld");
  CHECK(has(run.set, "ADDED=a b"));
  CHECK(std::any_of(run.set.begin(), run.set.end(),
                    [](const std::string& each) { return each.starts_with("PATH=/own:"); }));
  CHECK(run.unset == Strings{"REMOVED"});
  CHECK_FALSE(has(run.set, "KEPT=1"));

  const Command shown{{"/bin/sh", "-c", "echo $ADDED,$REMOVED,$KEPT"}, "", {}};
  CHECK(AsLinker(script.processes, run).run({&shown, 1}).front().output == "a b,,1\n");
  ::unsetenv("REMOVED");
  ::unsetenv("KEPT");
}

TEST_CASE("a linker is found before options and before a response file") {
  CHECK(Script("printf 'collect2 version 12\\n/a b/ld @/tmp/x -o y\\n' >&2\n").run().linker == "/a b/ld");
  CHECK(Script("printf 'collect2 version 12\\n/a b/ld -o y @/tmp/x\\n' >&2\n").run().linker == "/a b/ld");
  CHECK(Script("printf 'collect2 version 12\\n[cannot find ld]\\n' >&2\n").run().linker.empty());
}

TEST_CASE("a driver is run without inputs and writes no output of a link") {
  Script script("for word; do printf '%s\\n' \"$word\"; done >\"${0%/bin/g++}/words\"\n");
  CHECK(script.run({"-O2", "main.cpp", "-o", "app", "-flto", "b.o", "-Bparts"}).linker.empty());
  const auto words = script.files.read(script.scratch.path("words"), 4096);
  REQUIRE(words);
  CHECK(words->starts_with("-O2\n-flto\n-Bparts\n-o\nhostpin-output\n-wrapper\n"));
  CHECK(words->ends_with("\n-Wl,--version\n"));
}
