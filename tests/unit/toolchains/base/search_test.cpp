// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/base/search.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;

using Strings = std::vector<std::string>;
using Variables = Environment::Variables;

TEST_CASE("PATH gives its absolute directories only, in order") {
  CHECK(path_directories(Environment(Variables{{"PATH", "/a:b::/c/:.:/:/a"}})) ==
        Strings{"/a", "/c", "/", "/a"});
  CHECK(path_directories(Environment()).empty());
}

TEST_CASE("a star matches directories, newest version first") {
  FakeFiles files;
  files.file("/opt/gcc-9/bin/g++")
      .file("/opt/gcc-13/bin/g++")
      .file("/opt/gcc-10.2")
      .file("/opt/llvm-17/bin/x");
  const Expansion found = expand(files, Environment(), {nullptr, "/opt/gcc-*/bin", "/opt"});
  CHECK(found.directories == Strings{"/opt/gcc-13/bin", "/opt/gcc-9/bin"});
  CHECK(found.looked == Strings{"/opt"});
}

TEST_CASE("a pattern without a star gives its directory even when it is absent") {
  const Expansion found = expand(FakeFiles(), Environment(), {nullptr, "/run/sw/bin", "Nix"});
  CHECK(found.directories == Strings{"/run/sw/bin"});
  CHECK(found.looked.empty());
}

TEST_CASE("a pattern below a variable needs an absolute path in it") {
  FakeFiles files;
  files.file("/spack/opt/spack/linux/gcc/gcc-13.2-abc/bin/g++")
      .file("/spack/opt/spack/.spack-db/gcc/gcc-1/bin/g++");
  const SearchPattern place{"SPACK_ROOT", "opt/spack/*/*/gcc-*/bin", "Spack"};
  const Expansion found = expand(files, Environment(Variables{{"SPACK_ROOT", "/spack"}}), place);
  CHECK(found.directories == Strings{"/spack/opt/spack/linux/gcc/gcc-13.2-abc/bin"});
  CHECK(found.looked == Strings{"/spack/opt/spack", "/spack/opt/spack/linux", "/spack/opt/spack/linux/gcc"});
  CHECK(expand(files, Environment(Variables{{"SPACK_ROOT", "spack"}}), place).directories.empty());
  CHECK(expand(files, Environment(), place).directories.empty());
}

TEST_CASE("hostpin's programs are recognised by their location, through links too") {
  FakeFiles files;
  files.program("/opt/hostpin/libexec/hostpin/c++").program("/usr/bin/c++").program("/elsewhere/hostpin/c++");
  files.link("/home/me/bin/c++", "/opt/hostpin/libexec/hostpin/c++");
  files.program("/bound/c++").file("/bound/plan").file("/bound/binding.toml").link("/also/c++", "/bound/c++");
  files.program("/usr/local/bin/c++").program("/usr/local/bin/plan");
  files.program("/build/wrapper/c++");
  const IsOwn is_own = own_programs(files, {"/build/wrapper/c++"});
  for (const char* path : {"/opt/hostpin/libexec/hostpin/c++", "/home/me/bin/c++", "/bound/c++", "/also/c++",
                           "/build/wrapper/c++"}) {
    CAPTURE(path);
    CHECK(is_own(path));
  }
  for (const char* path : {"/usr/bin/c++", "/elsewhere/hostpin/c++", "/usr/local/bin/c++", "/missing/c++"}) {
    CAPTURE(path);
    CHECK_FALSE(is_own(path));
  }
}
