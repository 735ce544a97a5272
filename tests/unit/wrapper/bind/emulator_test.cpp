// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "wrapper/bind/emulator.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;

using Strings = std::vector<std::string>;

TEST_CASE("the emulator is QEMU's on PATH, with the root that has the program's loader") {
  FakeFiles files;
  files.program("/usr/bin/qemu-aarch64").program("/usr/bin/qemu-ppc64le-static");
  files.file("/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1");
  Compiler stdenv;
  stdenv.c_headers = "/usr/aarch64-linux-gnu/include";
  const Environment environment(Environment::Variables{{"PATH", "/bin:/usr/bin"}});
  const std::string loader = "/lib/ld-linux-aarch64.so.1";
  CHECK(bind::emulator("aarch64", loader, "", stdenv, environment, files) ==
        Strings{"/usr/bin/qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"});
  CHECK(bind::emulator("aarch64", loader, "/sys", stdenv, environment, files) ==
        Strings{"/usr/bin/qemu-aarch64", "-L", "/sys"});
  stdenv.c_headers = "/usr/include";
  CHECK(bind::emulator("aarch64", loader, "", stdenv, environment, files) ==
        Strings{"/usr/bin/qemu-aarch64"});
  files.program("/bin/qemu-aarch64-static");
  CHECK(bind::emulator("aarch64", loader, "", stdenv, environment, files).front() ==
        "/bin/qemu-aarch64-static");
  CHECK(bind::emulator("x86_64", loader, "", stdenv, environment, files).empty());
}
