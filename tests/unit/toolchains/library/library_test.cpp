// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/library/library.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::ElfBuilder;
using hostpin::test::FakeFiles;
using hostpin::test::FakeProcesses;
using Strings = std::vector<std::string>;

namespace {

const std::string library =
    ElfBuilder(true, true)
        .build("libstdc++.so.6",
               {"GLIBCXX_3.4", "GLIBCXX_3.4.9", "GLIBCXX_3.4.30", "GLIBCXX_3.4.29", "CXXABI_1.3",
                "CXXABI_1.3.9", "CXXABI_1.3.13", "CXXABI_TM_1", "GLIBCXX_LDBL_3.4.31"});

Compiler gcc() {
  Compiler compiler;
  compiler.command = {"/usr/bin/g++", "-m64"};
  compiler.family = Family::gcc;
  compiler.library.kind = "libstdc++";
  compiler.library.release = 12;
  return compiler;
}

FakeProcesses& answer(FakeProcesses& processes, const std::string& name, const std::string& path) {
  return processes.answer("/usr/bin/g++ -m64 -print-file-name=" + name, path + '\n');
}

} // namespace

TEST_CASE("versions compare as numbers, and names that are none do not count") {
  const binary::SharedObject object = *binary::read_shared_object(library);
  CHECK(highest_version(object, "GLIBCXX_") == "3.4.30");
  CHECK(highest_version(object, "CXXABI_") == "1.3.13");
  CHECK(highest_version(object, "GLIBC_").empty());
}

TEST_CASE("the highest version that a library wants is found among all it loads") {
  const binary::SharedObject object = *binary::read_shared_object(
      ElfBuilder(true, true)
          .build("libx.so", {},
                 {{"libm.so.6", {"GLIBC_2.29"}}, {"libc.so.6", {"GLIBC_2.4", "GLIBC_2.34", "GLIBC_2.9"}}}));
  CHECK(highest_needed_version(object, "GLIBC_") == "2.34");
  CHECK(highest_needed_version(object, "GLIBCXX_").empty());
}

TEST_CASE("the library is read from the very file that the driver links") {
  FakeFiles files;
  FakeProcesses processes;
  files.file("/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", library);
  files.link("/usr/lib/gcc/12/libstdc++.so", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30")
      .file("/lib/libgcc_s.so.1");
  answer(processes, "libstdc++.so", "/usr/lib/gcc/12/libstdc++.so");
  answer(processes, "libgcc_s.so.1", "/lib/libgcc_s.so.1");
  const auto facts = library_facts(files, processes, gcc());
  REQUIRE(facts);
  CHECK(facts->library.kind == "libstdc++");
  CHECK(facts->library.release == 12);
  CHECK(facts->library.path == "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30");
  CHECK(facts->library.glibcxx == "3.4.30");
  CHECK(facts->library.cxxabi == "1.3.13");
  CHECK(facts->found == "/usr/lib/gcc/12/libstdc++.so");
  CHECK(facts->libgcc == "/lib/libgcc_s.so.1");
  CHECK(facts->files ==
        Strings{"/usr/lib/gcc/12/libstdc++.so", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30"});
  CHECK(processes.rounds == 1);
}

TEST_CASE("a linker script in front of the library is followed") {
  struct Row {
    const char* script;
    const char* asked; ///< what the driver must be asked besides
  };
  const Row rows[] = {
      {"/* GNU ld script */\nINPUT ( /usr/lib64/libstdc++.so.6 -lstdc++_nonshared )\n", nullptr},
      {"GROUP ( AS_NEEDED ( libstdc++.so.6 ) )", "libstdc++.so.6"},
      {"OUTPUT_FORMAT(elf64-x86-64)\nINPUT(libm.so.6 libstdc++.so.6)", "libstdc++.so.6"}};
  for (const Row& row : rows) {
    CAPTURE(row.script);
    FakeFiles files;
    FakeProcesses processes;
    files.file("/opt/rh/gcc/12/libstdc++.so", row.script).file("/usr/lib64/libstdc++.so.6", library);
    answer(processes, "libstdc++.so", "/opt/rh/gcc/12/libstdc++.so");
    if (row.asked != nullptr)
      answer(processes, row.asked, "/usr/lib64/libstdc++.so.6");
    const auto facts = library_facts(files, processes, gcc());
    REQUIRE(facts);
    CHECK(facts->library.path == "/usr/lib64/libstdc++.so.6");
    CHECK(facts->library.glibcxx == "3.4.30");
    CHECK(facts->files.front() == "/opt/rh/gcc/12/libstdc++.so");
  }
}

TEST_CASE("inputs of a linker script are read, comments and nesting included") {
  CHECK(script_inputs("INPUT(a \"b c\"/*x*/ d,-le)") == Strings{"a", "b", "c", "d", "-le"});
  CHECK(script_inputs("GROUP ( /lib/libc.so.6 AS_NEEDED ( /lib/ld.so.2 ) ) INPUT(x)") ==
        Strings{"/lib/libc.so.6", "/lib/ld.so.2", "x"});
  CHECK(script_inputs("SECTIONS ( no ) OUTPUT_FORMAT(no)").empty());
  constexpr auto extern_symbols = std::to_array<std::string_view>({"EXTERN"});
  CHECK(script_words("EXTERN(a b) INPUT(no) EXTERN(c)", extern_symbols) == Strings{"a", "b", "c"});
  CHECK(script_inputs(")))((INPUT(").empty());
  CHECK(script_inputs("/* open INPUT(a)").empty());
  CHECK(script_inputs("").empty());
}

TEST_CASE("a library that is missing, damaged or another one is an error that names it") {
  struct Row {
    const char* path;
    std::string content;
    const char* message;
  };
  const Row rows[] = {
      {"libstdc++.so", "", "/usr/bin/g++ links no shared libstdc++: it finds no libstdc++.so"},
      {"/lib/absent/libstdc++.so", "", "/usr/bin/g++ links no shared libstdc++: it finds no libstdc++.so"},
      {"/lib/libstdc++.so", "nonsense",
       "the standard library of /usr/bin/g++: /lib/libstdc++.so is neither a shared library nor a linker "
       "script that names one"},
      {"/lib/libstdc++.so", library.substr(0, 400),
       "the standard library of /usr/bin/g++: /lib/libstdc++.so cannot be used: it is cut short or damaged: "
       "its string "
       "table is outside the file"},
      {"/lib/libstdc++.so", "INPUT(/lib/libstdc++.so)",
       "the standard library of /usr/bin/g++: /lib/libstdc++.so is neither a shared library nor a linker "
       "script that names one"},
      {"/lib/libstdc++.so", ElfBuilder(true, true).build("libother.so.1", {}),
       "the standard library of /usr/bin/g++: /lib/libstdc++.so is 'libother.so.1', not libstdc++.so"}};
  for (const Row& row : rows) {
    FakeFiles files;
    FakeProcesses processes;
    files.file("/lib/libstdc++.so", row.content);
    answer(processes, "libstdc++.so", row.path);
    const auto facts = library_facts(files, processes, gcc());
    REQUIRE_FALSE(facts);
    CHECK(facts.error().message == row.message);
    CHECK_FALSE(facts.error().hint.empty());
  }
}

TEST_CASE("a driver that uses libc++ is asked for that") {
  FakeFiles files;
  FakeProcesses processes;
  files.file("/lib/libc++.so", "INPUT(libc++.so.1 -lunwind -lc++abi)")
      .file("/lib/libc++.so.1", ElfBuilder(true, true).build("libc++.so.1", {}));
  answer(processes, "libc++.so", "/lib/libc++.so");
  Compiler clang = gcc();
  clang.library.kind = "libc++";
  const auto facts = library_facts(files, processes, clang);
  REQUIRE(facts);
  CHECK(facts->library.path == "/lib/libc++.so.1");
  CHECK(facts->library.glibcxx.empty());
}
