// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/driver_answer.hpp"
#include "tests/tree.hpp"
#include "toolchains/base/search.hpp"

#include <chrono>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using Strings = std::vector<std::string>;
using hostpin::test::Tree;

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

void age(const std::string& path, std::chrono::hours hours) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - hours);
}

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
  CHECK(failed.error().message.find("cc does not print the commands that it would run (-###)") == 0);
  CHECK(failed.error().message.find("no such option") != std::string::npos);
  const auto absent = driver_answer({"gone"}, "-###", machine.tools);
  REQUIRE(!absent);
  CHECK(absent.error().message == "there is no program gone");
}

TEST_CASE("a driver is asked again if a variable that wrappers read has another value") {
  Machine machine("echo \"-L$SPACK_LINK_DIRS\"\n");
  const std::string cache = machine.scratch.path("cache");
  for (const char* const directory : {"/one", "/two"}) {
    const Environment environment{{{"PATH", machine.scratch.path("bin")}, {"SPACK_LINK_DIRS", directory}}};
    const LinkTools tools{environment, machine.files, machine.processes, cache, "/"};
    const CachedQuestion question = driver_question("-###", {"cc"}, machine.driver, tools);
    CHECK_FALSE(question.answer());
    question.store(directory, {});
    CHECK(driver_question("-###", {"cc"}, machine.driver, tools).answer() == directory);
  }
}

TEST_CASE("an answer is cached until a file that it depends on changes") {
  const Tree scratch;
  const Environment environment;
  const DiskFiles files;
  const HostProcesses processes;
  const LinkTools tools{environment, files, processes, scratch.path("cache"), "/here"};
  const std::string compiler = scratch.write("lto1", "version 12");
  age(compiler, std::chrono::hours{2});
  std::this_thread::sleep_for(std::chrono::milliseconds{50}); // until it is certain that the file is complete

  CHECK_FALSE(CachedQuestion(tools, {"question"}).answer());
  CachedQuestion(tools, {"question"}).store("12.0\n\xff", {compiler, scratch.path("none")});
  CHECK(CachedQuestion(tools, {"question"}).answer());
  CHECK_FALSE(CachedQuestion(tools, {"question", "of another"}).answer());

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
  CHECK_FALSE(CachedQuestion(tools, {"question"}).answer());
}

TEST_CASE("nothing is cached if a file may still be being written") {
  const Tree scratch;
  const Environment environment;
  const DiskFiles files;
  const HostProcesses processes;
  const LinkTools tools{environment, files, processes, scratch.path("cache"), "/here"};
  CachedQuestion(tools, {"question"}).store("text", {scratch.write("young", "now")});
  CHECK_FALSE(CachedQuestion(tools, {"question"}).answer());
  const LinkTools forgetful{environment, files, processes, "", "/here"};
  CachedQuestion(forgetful, {"question"}).store("text", {});
  CHECK_FALSE(CachedQuestion(forgetful, {"question"}).answer());
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
    CachedQuestion(tools, {"first"}).store("text", {});
    for (const auto& entry : std::filesystem::directory_iterator(tools.cache))
      age(entry.path().string(), std::chrono::hours{1});
    scratch.write("cache/somebody's", "");
    for (std::size_t i = 0; i < most_answers; ++i)
      CachedQuestion(tools, {std::to_string(i)}).store("text", {});
    CHECK(kept() == most_answers / 4 * 3);
    CHECK_FALSE(CachedQuestion(tools, {"first"}).answer());
    CHECK(CachedQuestion(tools, {std::to_string(most_answers - 1)}).answer());
    CHECK(std::filesystem::exists(tools.cache + "/somebody's"));
  }
  SUBCASE("by their bytes") {
    const std::string long_text(std::size_t{3} << 20U, 'x');
    for (int i = 0; i < 12; ++i)
      CachedQuestion(tools, {std::to_string(i)}).store(long_text, {});
    CHECK(kept() * long_text.size() <= most_answer_bytes);
    CHECK(kept() > 0);
  }
}

TEST_CASE("each run of inputs is one word, and comes back where it stood") {
  const Placeholders short_form =
      replace_inputs({"g++", "a.o", "b.a", "-lm", "x/libc.so.6", "-o", "out.so", "d.cpp", "e.o"});
  CHECK(short_form.command == Strings{"g++", "-Wl,--hostpin-inputs=0", "-lm", "-Wl,--hostpin-inputs=1", "-o",
                                      "hostpin-output", "d.cpp", "-Wl,--hostpin-inputs=2"});
  CHECK(put_inputs_back({"ld", "crt1.o", "--hostpin-inputs=0", "-lm", "--hostpin-inputs=1", "/tmp/cc.o",
                         "--hostpin-inputs=2", "--hostpin-inputs=3", "--hostpin-inputs=x"},
                        short_form) == Strings{"ld", "crt1.o", "a.o", "b.a", "-lm", "x/libc.so.6",
                                               "/tmp/cc.o", "e.o", "--hostpin-inputs=3",
                                               "--hostpin-inputs=x"});
}

TEST_CASE("commands that differ in objects and output ask the same") {
  CHECK(replace_inputs({"g++", "-flto", "a.o", "b.o", "-o", "one"}).command ==
        replace_inputs({"g++", "-flto", "c.o", "-o", "two"}).command);
  CHECK(replace_inputs({"g++", "-flto", "a.o"}).command != replace_inputs({"g++", "a.o"}).command);
}

TEST_CASE("values of options and what stands behind -x are left alone") {
  CHECK(replace_inputs({"g++", "-T", "x.o", "-Xlinker", "y.o"}).inputs.empty());
  const Strings command{"g++", "-x", "c", "a.o"};
  CHECK(replace_inputs(command).command == command);
}
