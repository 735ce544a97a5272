// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/include_directories.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Words = std::vector<std::string>;

TEST_CASE("directories are taken from their flags, joined or in the next word") {
  const Words flags{"-O2",   "-I",         "include", "-Isrc",  "-iquote",      "quoted", "-isystem",
                    "other", "-idirafter", "/after",  "-DX=-I", "-cxx-isystem", "cxx",    "-I"};
  CHECK(own_directories(flags) == Words{"include", "src", "quoted"});
  CHECK(named_system_directories(flags) == Words{"other", "/after", "cxx"});
  CHECK(own_directories({}).empty());
}

TEST_CASE("the system's main directories are nobody's own") {
  CHECK(own_directories({"-I/usr/include", "-I", "/usr/local/include", "-I/usr/include/own"}) ==
        Words{"/usr/include/own"});
}

TEST_CASE("a directory of the user is no system directory, whatever its name") {
  test::FakeFiles files;
  files.file("/system/a.h").file("/own/b.h").link("/link", "/own");
  Compiler compiler;
  compiler.include_directories = {"/system", "/link", "/gone"};
  CHECK(system_directories(files, compiler, {"/own"}) == Words{"/system", "/gone"});
  CHECK(system_directories(files, compiler, {"/gone"}) == Words{"/system", "/link"});
  CHECK(system_directories(files, compiler, {}) == compiler.include_directories);
}
