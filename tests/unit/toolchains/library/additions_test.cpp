// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/library/additions.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::test;
using Words = std::vector<std::string>;

namespace {

constexpr const char* link = " -### -Dhostpin_here hostpin-input.o -Wl,--hostpin-here -o hostpin-output";
constexpr const char* compile = " -### -c -Dhostpin_here -x c++ /dev/null";
constexpr const char* preprocess = " -E -Wp,-v -x c++ /dev/null";

/// `-###` of a GCC that was called as /gcc/g++.
std::string shown_link(const std::string& options, const std::string& words) {
  return "COLLECT_GCC=/gcc/g++\nCOLLECT_GCC_OPTIONS=" + options +
         " '-shared-libgcc'\n /gcc/collect2 -plugin /p.so -dynamic-linker /lib64/ld.so " + words + '\n';
}

std::string shown_compile(const std::string& options) {
  return "COLLECT_GCC=/gcc/g++\nCOLLECT_GCC_OPTIONS=" + options + "\n /gcc/cc1plus -quiet /dev/null\n";
}

std::string shown_search(const std::string& directories) {
  return "#include \"...\" search starts here:\n#include <...> search starts here:\n" + directories +
         "End of search list.\n";
}

Compiler wrapper() {
  Compiler compiler;
  compiler.command = {"/w/cxx"};
  compiler.family = Family::gcc;
  return compiler;
}

} // namespace

TEST_CASE("what a wrapper adds to links is found, before and after the user's arguments") {
  const std::string here = "'-D' 'hostpin_here' '-o' 'hostpin-output'";
  const std::string own = " -lstdc++ -lm -lc";
  FakeProcesses processes;
  processes
      .answer(std::string("/w/cxx") + link, "",
              shown_link("'-pthread' " + here + " '-I' '/i' '-L/w' '-L/own' '--sysroot=/s'",
                         "-L/w -L/own --hostpin-here -rpath /w:/x -rpath /own -z now -lx /w/y.o "
                         "--dynamic-linker=/s/ld.so" +
                             own + " -lpthread"))
      .answer(std::string("/gcc/g++") + link, "", shown_link(here, "--hostpin-here" + own))
      .answer(std::string("/gcc/g++ -pthread -I /i -L/w -L/own --sysroot=/s") + link, "",
              shown_link("'-pthread' '-I' '/i' '-L/w' '-L/own' '--sysroot=/s' " + here,
                         "-L/w -L/own --hostpin-here" + own + " -lpthread"));
  FakeFiles files;
  files.file("/own/libstdc++.so.6", "");
  const auto added = added_to_links(wrapper(), files, processes);
  REQUIRE(added);
  CHECK(added->below == "/gcc/g++");
  CHECK(added->links_cxx);
  CHECK(added->before == Words{"-pthread"});
  CHECK(added->after == Words{"-L/w", "-Wl,-L/own", "-Wl,-rpath,/w:/x", "-Wl,-z,now", "-lx", "/w/y.o"});
  CHECK(added->withheld == Words{"--sysroot=/s", "-Wl,-rpath,/own", "-Wl,--dynamic-linker=/s/ld.so"});
}

TEST_CASE("a directory with a linker alone is told from one with parts of a compiler") {
  FakeProcesses processes;
  processes
      .answer(std::string("/w/cxx") + link, "",
              shown_link("'-D' 'hostpin_here' '-B' '/bintools/' '-B' '/compiler/'", "--hostpin-here -lc"))
      .answer(std::string("/gcc/g++") + link, "", shown_link("'-D' 'hostpin_here'", "--hostpin-here -lc"))
      .answer(std::string("/gcc/g++ -B /bintools/ -B /compiler/") + link, "",
              shown_link("'-B' '/bintools/' '-B' '/compiler/' '-D' 'hostpin_here'", "--hostpin-here -lc"));
  FakeFiles files;
  files.file("/bintools/ld", "").file("/compiler/ld", "").file("/compiler/cc1plus", "");
  const auto added = added_to_links(wrapper(), files, processes);
  REQUIRE(added);
  CHECK(added->linker == Words{"-B", "/bintools/"});
  CHECK(added->withheld == Words{"-B", "/compiler/"});
}

TEST_CASE("a driver that runs no other one adds nothing") {
  FakeProcesses processes;
  Compiler compiler = wrapper();
  compiler.command = {"/gcc/g++"};
  processes.answer(std::string("/gcc/g++") + link, "",
                   shown_link("'-D' 'hostpin_here'", "--hostpin-here -lstdc++"));
  processes.answer(std::string("/gcc/g++") + compile, "", shown_compile("'-D' 'hostpin_here'"));
  CHECK_FALSE(added_to_links(compiler, FakeFiles(), processes));
  CHECK_FALSE(added_to_compiles(compiler, FakeFiles(), processes));
  compiler.command = {"/none"};
  CHECK_FALSE(added_to_links(compiler, FakeFiles(), processes));
}

TEST_CASE("what a wrapper adds for the preprocessor is found, and other arguments are withheld") {
  FakeProcesses processes;
  processes
      .answer(std::string("/w/cxx") + compile, "",
              shown_compile(
                  "'-I' '/one' '-O3' '-D' 'hostpin_here' '-D' 'T=a b' '-I' '/two' '-isystem' '/cxx' '-L/w'"))
      .answer(std::string("/w/cxx") + preprocess, "",
              shown_search(" /one\n /two\n /variable\n /cxx\n /usr/include\n"))
      .answer(std::string("/gcc/g++") + compile, "", shown_compile("'-D' 'hostpin_here'"))
      .answer(std::string("/gcc/g++") + preprocess, "", shown_search(" /usr/include\n"));
  FakeFiles files;
  files.file("/cxx/cstddef", "");
  const auto added = added_to_compiles(wrapper(), files, processes);
  REQUIRE(added);
  CHECK(added->before == Words{"-I/one", "-DT=a b", "-isystem", "/two", "-isystem", "/variable"});
  CHECK(added->withheld == Words{"-O3", "-isystem", "/cxx"});
}
