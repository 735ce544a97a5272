// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/parse/layout.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;
using hostpin::test::FakeFiles;
using Strings = std::vector<std::string>;

namespace {

/// Debian's arrangement of one GCC below /r.
void add_debian(FakeFiles& files, const std::string& version, const std::string& triple) {
  files.file("/r/usr/include/c++/" + version + "/cstddef")
      .file("/r/usr/include/c++/" + version + "/bits/stl_pair.h")
      .file("/r/usr/include/" + triple + "/c++/" + version + "/bits/c++config.h")
      .file("/r/usr/lib/gcc/" + triple + '/' + version + "/crtbegin.o")
      .file("/r/usr/lib/gcc/" + triple + '/' + version + "/include/stddef.h")
      .file("/r/usr/include/" + triple + "/gnu/stubs.h")
      .file("/r/usr/include/features.h")
      .file("/r/usr/lib/" + triple + "/libc.so");
}

} // namespace

TEST_CASE("every GCC of a root is found, the newest first, as a number") {
  FakeFiles files;
  for (const char* const version : {"9", "13", "10"})
    add_debian(files, version, "x86_64-linux-gnu");
  const HeaderLayout layout = sysroot_headers(files, "/r");
  REQUIRE(layout.sets.size() == 3);
  CHECK(layout.sets[0].version == "13");
  CHECK(layout.sets[1].version == "10");
  CHECK(layout.sets[2].version == "9");
  CHECK(layout.sets[0].gcc_install == "/r/usr/lib/gcc/x86_64-linux-gnu/13");
  CHECK(layout.sets[0].triple == "x86_64-linux-gnu");
  CHECK(layout.sets[0].directories == Strings{"/r/usr/include/c++/13",
                                              "/r/usr/include/x86_64-linux-gnu/c++/13",
                                              "/r/usr/lib/gcc/x86_64-linux-gnu/13/include",
                                              "/r/usr/include/x86_64-linux-gnu", "/r/usr/include"});
  CHECK(layout.sets[0].libraries ==
        Strings{"/r/usr/lib/gcc/x86_64-linux-gnu/13", "/r/usr/lib/x86_64-linux-gnu", "/r/usr/lib"});
}

TEST_CASE("other arrangements of GCC are found as well") {
  struct Row {
    const char* install;
    const char* headers;
  };
  const Row rows[] = {
      // Fedora, Alpine, Gentoo, a cross compiler, conda's sysroot
      {"/r/usr/lib/gcc/x86_64-redhat-linux/13", "/r/usr/include/c++/13"},
      {"/r/usr/lib/gcc/x86_64-alpine-linux-musl/13.2.1", "/r/usr/include/c++/13.2.1"},
      {"/r/usr/lib/gcc/x86_64-pc-linux-gnu/13", "/r/usr/lib/gcc/x86_64-pc-linux-gnu/13/include/g++-v13"},
      {"/r/usr/lib/gcc-cross/aarch64-linux-gnu/12", "/r/usr/aarch64-linux-gnu/include/c++/12"},
      {"/r/lib/gcc/x86_64-conda-linux-gnu/12.4.0", "/r/lib/gcc/x86_64-conda-linux-gnu/12.4.0/include/c++"},
      {"/r/usr/lib64/gcc/x86_64-suse-linux/13", "/r/usr/include/c++/13"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.install);
    FakeFiles files;
    files.file(std::string(row.install) + "/crtbegin.o").file(std::string(row.headers) + "/cstddef");
    const HeaderLayout layout = sysroot_headers(files, "/r");
    REQUIRE(layout.sets.size() == 1);
    CHECK(layout.sets[0].gcc_install == row.install);
    CHECK(layout.sets[0].directories.front() == row.headers);
  }
}

TEST_CASE("one GCC with two names is one, and a directory without C++ headers is none") {
  FakeFiles files;
  add_debian(files, "13", "x86_64-linux-gnu");
  files.link("/r/lib/gcc", "/r/usr/lib/gcc");
  files.file("/r/usr/lib/gcc/x86_64-linux-gnu/8/crtbegin.o");
  files.file("/r/usr/lib/gcc/x86_64-linux-gnu/notes.d/x");
  CHECK(sysroot_headers(files, "/r").sets.size() == 1);
  CHECK(sysroot_headers(files, "/empty").sets.empty());
}

TEST_CASE("libc++ of a root comes after its GCCs") {
  FakeFiles files;
  add_debian(files, "13", "x86_64-linux-gnu");
  files.file("/r/usr/lib/llvm-19/include/c++/v1/__config").file("/r/usr/lib/llvm-19/lib/libc++.so");
  const HeaderLayout layout = sysroot_headers(files, "/r");
  REQUIRE(layout.sets.size() == 2);
  CHECK(layout.sets[1].libcxx);
  CHECK(layout.sets[1].directories.front() == "/r/usr/lib/llvm-19/include/c++/v1");
  CHECK(layout.sets[1].libraries.front() == "/r/usr/lib/llvm-19/lib");
}

TEST_CASE("loose headers are found below a directory, one set for each release and target") {
  FakeFiles files;
  add_debian(files, "13", "x86_64-linux-gnu");
  add_debian(files, "13", "aarch64-linux-gnu");
  add_debian(files, "12", "x86_64-linux-gnu");
  files.file("/r/usr/include/c++/13/parallel/features.h");
  const HeaderLayout layout = loose_headers(files, Strings{"/r"});
  REQUIRE(layout.sets.size() == 3);
  CHECK(layout.sets[0].directories.front() == "/r/usr/include/c++/12");
  CHECK(layout.sets[1].triple == "aarch64-linux-gnu");
  CHECK(layout.sets[1].directories == Strings{"/r/usr/include/c++/13",
                                              "/r/usr/include/aarch64-linux-gnu/c++/13", "/r/usr/include",
                                              "/r/usr/include/aarch64-linux-gnu"});
  CHECK(layout.sets[2].triple == "x86_64-linux-gnu");
  CHECK(layout.sets[2].libraries.empty());
}

TEST_CASE("a copied directory of headers that are all in one place is one set") {
  FakeFiles files;
  files.file("/copy/cstddef").file("/copy/bits/c++config.h");
  const HeaderLayout layout = loose_headers(files, Strings{"/copy"});
  REQUIRE(layout.sets.size() == 1);
  CHECK(layout.sets[0].directories == Strings{"/copy"});
  CHECK(layout.sets[0].triple.empty());
}

TEST_CASE("other collections that have a <cstddef> are no standard library") {
  FakeFiles files;
  files.file("/i/boost/compatibility/cpp_c_headers/cstddef").file("/i/cuda/std/cstddef");
  CHECK(loose_headers(files, Strings{"/i"}).sets.empty());
}
