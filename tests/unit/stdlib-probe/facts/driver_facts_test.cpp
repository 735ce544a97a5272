// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/driver_facts.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/base/recording.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;
using hostpin::test::ElfBuilder;
using hostpin::test::FakeFiles;
using hostpin::test::FakeProcesses;
using Strings = std::vector<std::string>;

namespace {

const std::string headers_output =
    "hostpin_probe cplusplus 201703L\nhostpin_probe pointer 8\nhostpin_probe gnuc 12 2 0\n"
    "hostpin_probe any_libstdcxx 1\nhostpin_probe end 1\n";
const std::string headers_errors =
    "Target: x86_64-alpine-linux-musl\n /usr/libexec/cc1plus -E -v -\n. /usr/include/c++/12/cstddef\n"
    "ignoring nonexistent directory \"/usr/local/include\"\nReading specs from /usr/lib/gcc/specs\n"
    "#include <...> search starts here:\n /usr/include/c++/12\nEnd of search list.\n";
const std::string link_errors =
    " /usr/libexec/collect2 -m elf_x86_64 -dynamic-linker /lib/ld-musl-x86_64.so.1 -L/usr/lib -lstdc++ -lc\n";

struct Machine {
  Machine() {
    files.program("/usr/bin/g++").program("/usr/libexec/cc1plus").file("/usr/include/c++/12/cstddef");
    files.file("/usr/lib/libstdc++.so", ElfBuilder(true, true).build("libstdc++.so.6", {"GLIBCXX_3.4.30"}));
    files.file("/usr/lib/libc.so", ElfBuilder(true, true).build("libc.musl-x86_64.so.1", {}));
  }
  Result<Facts> facts(const std::string& link_output = link_errors, int link_code = 0) {
    FakeProcesses processes;
    processes.answer("/usr/bin/g++ -v -E -x c++ - -H", headers_output, headers_errors);
    processes.answer("/usr/bin/g++ -### -x c++ /dev/null -o /dev/null", "", link_output, link_code);
    const DriverCandidate candidate{{"/usr/bin/g++"}, "test"};
    const test::RecordingProcesses recorded(processes);
    auto answers = driver_facts(files, recorded, {&candidate, 1});
    CHECK(recorded.leave_nothing("-###"));
    CHECK(processes.rounds == 1);
    return std::move(answers.front());
  }
  FakeFiles files;
};

} // namespace

TEST_CASE("a musl system is named, and what is not known is null with the reason") {
  Machine machine;
  const auto facts = machine.facts();
  REQUIRE(facts);
  CHECK(facts->compiler.c_library == "musl");
  CHECK_FALSE(facts->compiler.glibc);
  CHECK(facts->compiler.library.kind == "libstdc++");
  CHECK(facts->unknown.at("release") == "the headers do not define their release: they are older than GCC 7");
  CHECK(facts->unknown.at("libgcc_s") == "the link does not use libgcc_s: libgcc is linked statically");
  REQUIRE(facts->library);
  CHECK(facts->library->glibcxx == "3.4.30");
  REQUIRE(facts->c_library);
  CHECK(facts->c_library->soname == "libc.musl-x86_64.so.1");
  CHECK(facts->c_library->glibc.empty());
}

TEST_CASE("an answer depends on what was read and searched, existing or not") {
  Machine machine;
  const auto facts = machine.facts();
  REQUIRE(facts);
  for (const char* const path : {"/usr/bin/g++", "/usr/libexec/cc1plus", "/usr/include/c++/12/cstddef",
                                 "/usr/local/include", "/usr/lib/gcc/specs", "/usr/include/c++/12",
                                 "/usr/lib/libstdc++.so", "/usr/lib", "/usr/lib/libc.so"}) {
    CAPTURE(path);
    CHECK(std::find(facts->dependencies.begin(), facts->dependencies.end(), path) !=
          facts->dependencies.end());
  }
}

TEST_CASE("a driver that shows no link has no libraries, with the reason") {
  Machine machine;
  const auto silent = machine.facts("");
  REQUIRE(silent);
  CHECK(silent->unknown.at("library") == "the compiler driver does not link with these flags");
  const auto failed = machine.facts("g++: error: no such linker\n", 1);
  REQUIRE(failed);
  CHECK(failed->unknown.at("c_library") ==
        "the compiler driver printed no link command: it exited with 1: g++: error: no such linker");
}

TEST_CASE("flags that choose headers and libraries are kept, those that make files are not") {
  struct Row {
    Strings given, kept;
  };
  const Row rows[] = {
      {{}, {}},
      {{"-O2", "-std=c++17", "-m32", "-stdlib=libc++"}, {"-O2", "-std=c++17", "-m32", "-stdlib=libc++"}},
      {{"-c", "-o", "x.o", "-S", "-E", "-fsyntax-only"}, {}},
      {{"-ox.o", "-MD", "-MF", "x.d", "-MFx.d", "-MTx", "-MQ", "x", "-MP", "-MMD", "-MM", "-MG", "-M"}, {}},
      {{"-save-temps=obj", "--save-temps", "-fdump-tree-all", "-Wp,-MMD,x.d", "-MJ", "x.json"}, {}},
      {{"-dumpbase", "x", "-dumpdir", "y/"}, {}},
      {{"-dM", "-", "-###", "-march=native", "-Wp,-DX"}, {"-march=native", "-Wp,-DX"}},
      {{"-Xlinker", "-o", "-Xclang", "-S", "-isystem", "-c"},
       {"-Xlinker", "-o", "-Xclang", "-S", "-isystem", "-c"}},
      {{"-L", "dir", "-Ldir", "--sysroot", "root"}, {"-L", "dir", "-Ldir", "--sysroot", "root"}},
      {{"-o"}, {}},
      {{"-Xlinker"}, {"-Xlinker"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.given);
    CHECK(asking_flags(row.given) == row.kept);
  }
}
