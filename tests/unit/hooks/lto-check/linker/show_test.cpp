// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/linker.hpp"
#include "hooks/lto-check/linker/show.hpp"
#include "tests/tree.hpp"
#include "toolchains/base/search.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using Strings = std::vector<std::string>;

namespace {

Strings names(const cmdline::LinkerCommand& words) {
  Strings result;
  for (const cmdline::LinkerInput& input : words.inputs)
    result.push_back((input.library ? "-l" : "") + input.name);
  return result;
}

/// A directory of programs that print on stderr what a driver would.
struct Machine {
  test::Tree scratch;
  Environment environment{{{"PATH", scratch.path("bin")}}};
  DiskFiles files;
  HostProcesses processes;
  LinkTools tools{environment, files, processes, "", "/"};

  std::string program(const std::string& name, const std::string& says = {}, int code = 0) const {
    scratch.write(name + ".text", says);
    const std::string path = scratch.write(name, "#!/bin/sh\n/bin/cat '" + scratch.path(name) +
                                                     ".text' >&2\nexit " + std::to_string(code) + '\n');
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
};

} // namespace

TEST_CASE("behind collect2 its own linker is found among the compiler's directories") {
  const Machine machine;
  const std::string own = machine.scratch.path("own");
  const std::string ld = machine.program("own/ld");
  const std::string gold = machine.program("bin/ld.gold");
  const std::string directories = "COMPILER_PATH=/none/:" + own + "/\n " + own + "/collect2 ";
  machine.program("bin/g++", directories + "-plugin " + own + "/liblto_plugin.so -plugin-opt=" + own +
                                 "/lto-wrapper -o x crt1.o --hostpin-inputs=0 -lm\n");
  machine.program("bin/gold++", directories + "-fuse-ld=gold --hostpin-inputs=0\n");
  machine.program("bin/mold++", directories + "-fuse-ld=mold --hostpin-inputs=0\n");
  const auto links = show_links({"g++", "a.o", "b.o"}, machine.tools);
  REQUIRE(links);
  REQUIRE(links->size() == 1);
  CHECK(links->front().linker == ld);
  CHECK(links->front().driver == Strings{"g++"});
  CHECK(links->front().words.lto_wrapper == own + "/lto-wrapper");
  CHECK(names(links->front().words) == Strings{"crt1.o", "a.o", "b.o", "-lm"});
  CHECK_FALSE(links->front().by_nvcc);
  const Environment inside(
      {{"PATH", machine.scratch.path("bin")}, {"_HERE_", "/cuda/bin"}, {"_THERE_", "/cuda/bin"}});
  const LinkTools by_nvcc{inside, machine.files, machine.processes, "", "/"};
  CHECK(show_links({"g++", "a.o"}, by_nvcc)->front().by_nvcc);
  CHECK(show_links({"gold++", "a.o"}, machine.tools)->front().linker == gold);
  const auto missing = show_links({"mold++", "a.o"}, machine.tools);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("ld.mold") != std::string::npos);
}

TEST_CASE("hostpin's c++ is replaced by the GCC that it ran, with the directories of its programs") {
  const Machine machine;
  const std::string ld = " " + machine.program("bin/ld") + " --hostpin-inputs=0\n";
  const std::string launcher = machine.program("bound/c++", ld);
  machine.scratch.write("bound/plan", "");
  CHECK(show_links({launcher, "a.o"}, machine.tools)->front().driver == Strings{launcher});
  machine.program("bound/c++",
                  "COLLECT_GCC=/old/g++\nCOMPILER_PATH=/old/libexec/gcc/x86_64-linux-gnu/:/script/bin/"
                  "\nCOLLECT_GCC_OPTIONS='-O2' '--sysroot=/old' '-B' '/parts' '-flto'\n" +
                      ld);
  CHECK(show_links({launcher, "-flto", "a.o"}, machine.tools)->front().driver ==
        Strings{"/old/g++", "--sysroot=/old", "-B", "/parts", "-B/script/bin/"});
  const std::string another =
      machine.program("bin/c++", "COLLECT_GCC=c++\nCOLLECT_GCC_OPTIONS='-B' '/b'\n" + ld);
  CHECK(show_links({another, "a.o", "-B/b"}, machine.tools)->front().driver == Strings{another, "-B/b"});
}

TEST_CASE("hostpin's c++ is replaced by the Clang that it ran, under the name that it has in its directory") {
  const Machine machine;
  const std::string ld = " " + machine.program("bin/ld") + " --hostpin-inputs=0\n";
  const auto answer = [&](const std::string& directory) {
    return "Debian clang version 17.0.6\nTarget: x86_64-pc-linux-gnu\nInstalledDir: " +
           machine.scratch.path(directory) + '\n' + ld;
  };
  const std::string launcher = machine.program("bound/c++", answer("llvm-17"));
  machine.scratch.write("bound/plan", "");
  const auto driver = [&](const Strings& command) {
    return show_links(command, machine.tools)->front().driver;
  };
  CHECK(driver({launcher, "a.o"}) == Strings{launcher}); // no Clang is found there
  const std::string versioned = machine.program("llvm-17/clang++-17");
  CHECK(driver({launcher, "a.o", "-B/parts"}) == Strings{versioned, "-B/parts"});
  const std::string plain = machine.program("llvm-17/clang++");
  CHECK(driver({launcher, "a.o"}) == Strings{plain});
  const std::string another = machine.program("bin/c++", answer("llvm-17"));
  CHECK(driver({another, "a.o"}) == Strings{another});
}

TEST_CASE("nvcc shows its device link, then the host's") {
  const Machine machine;
  const std::string nvlink = machine.program("cuda/nvlink");
  const std::string ld = machine.program("bin/ld");
  machine.program("bin/g++", " " + ld + " --hostpin-inputs=0 -lcudart\n");
  machine.program("bin/nvcc",
                  "#$ PATH=" + machine.scratch.path("cuda") + ":" + machine.scratch.path("bin") +
                      "\n#$ INCLUDES=\"-I/x\"\n"
                      "#$ nvlink --arch=sm_80 -dlto \"a.o\" -lcudadevrt -o \"/tmp/x.cubin\"\n"
                      "#$ fatbinary --image=x\n#$ \"g++\" -c -x c++ link.stub -o \"/tmp/link.o\"\n"
                      "#$ g++ -m64 \"/tmp/link.o\" \"a.o\" -lcudart -o \"out\"\n#$ rm /tmp/x\n");
  const auto links = show_links({"nvcc", "-dlto", "a.o", "-o", "out"}, machine.tools);
  REQUIRE(links);
  REQUIRE(links->size() == 2);
  CHECK(links->front().linker == nvlink);
  CHECK(links->front().by_nvcc);
  CHECK(links->back().by_nvcc);
  CHECK(links->front().words.device_lto);
  CHECK(names(links->front().words) == Strings{"a.o", "-lcudadevrt"});
  CHECK(links->back().linker == ld);
  CHECK(names(links->back().words) == Strings{"/tmp/link.o", "a.o", "-lcudart"});
  CHECK(std::ranges::count(links->back().made, "/tmp/link.o") == 1);
}

TEST_CASE("a linker that is called by itself calls back the GCC that COLLECT_GCC names") {
  const Machine machine;
  const std::string linker = machine.program("bin/ld");
  const auto calls_back = [&](Environment::Variables variables) {
    variables["PATH"] = machine.scratch.path("bin");
    const Environment environment(std::move(variables));
    const auto links = show_links({"ld", "a.o"}, {environment, machine.files, machine.processes, "", "/"});
    REQUIRE(links);
    REQUIRE(links->size() == 1);
    CHECK(links->front().linker == linker);
    return links->front().driver;
  };
  CHECK(calls_back({}).empty());
  CHECK(calls_back({{"COLLECT_GCC", "/own/gcc"}}) == Strings{"/own/gcc"});
}

TEST_CASE("commands that link nothing, that fail, and that do not exist") {
  const Machine machine;
  machine.program("bin/g++", " /own/cc1plus a.cpp\n /own/as -o a.o\n");
  machine.program("bin/bad", "bad: error: no such option\n", 1);
  CHECK(show_links({"g++", "-c", "a.cpp"}, machine.tools)->empty());
  const auto failed = show_links({"bad", "a.cpp"}, machine.tools);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message.find("no such option") != std::string::npos);
  CHECK_FALSE(show_links({"none", "a.o"}, machine.tools));
  CHECK_FALSE(show_links({}, machine.tools));
}

TEST_CASE("this machine's GCC is asked once what its lto1 takes") {
  const test::Tree scratch;
  const DiskFiles files;
  const HostProcesses processes;
  const Environment environment{{{"PATH", "/usr/local/bin:/usr/bin:/bin"}}};
  const LinkTools tools{environment, files, processes, scratch.path("cache"), "/"};
  if (!executable("gcc", environment)) {
    MESSAGE("skipped: no gcc on PATH");
    return;
  }
  const auto reader = learn_gcc_reader({"gcc"}, "", tools);
  REQUIRE(reader);
  CHECK(reader->major >= 8);
  CHECK(reader->producer.starts_with("GCC"));

  struct NoProcesses final : Processes {
    std::vector<Outcome> run(std::span<const Command> commands) const override {
      return std::vector<Outcome>(commands.size());
    }
  };
  const NoProcesses none;
  const LinkTools again{environment, files, none, scratch.path("cache"), "/"};
  const auto remembered = learn_gcc_reader({"gcc"}, "", again);
  REQUIRE(remembered);
  CHECK(remembered->major == reader->major);
  CHECK(remembered->minor == reader->minor);
  CHECK_FALSE(learn_gcc_reader({}, "/x/lto-wrapper", tools));
}

TEST_CASE("a link by libtool is reported as one that cannot be checked") {
  const DiskFiles files;
  const HostProcesses processes;
  const Environment environment{{{"PATH", "/usr/bin:/bin"}}};
  const LinkTools tools{environment, files, processes, "", "/"};
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"libtool", "--mode=link", "gcc", "a.o"},
           {"/bin/bash", "../libtool", "--tag=CC", "--mode=link", "gcc", "a.o"},
           {"env", "A=b", "x86_64-linux-gnu-libtool", "--mode", "link", "gcc", "a.o"}}) {
    const auto shown = show_links(command, tools);
    REQUIRE_FALSE(shown);
    CHECK(shown.error().message.starts_with("libtool"));
  }
}
