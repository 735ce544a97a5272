// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/survey/target.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;

namespace {

const std::vector<Platform> platforms{
    {"linux-sbsa", "sbsa-linux", "aarch64-linux-gnu", {}, {}, "aarch64", "tar", false, {}, {}, {}},
    {"linux-aarch64", "aarch64-linux", "aarch64-linux-gnu", {}, {}, "aarch64", "tar", true, {}, {}, {}},
    {"windows-x86_64", "x64", "x86_64-pc-windows-msvc", {}, {}, "x86_64-pe", "zip", false, {}, {}, {}}};

Compiler compiler(const std::string& driver, const std::string& target, const std::string& origin) {
  Compiler made;
  made.command = {driver};
  made.target = target;
  made.origin = origin;
  return made;
}

Request request_for(const std::string& target) {
  Request request;
  request.target = target;
  return request;
}

std::vector<std::string> names(const std::vector<const Platform*>& all) {
  std::vector<std::string> names;
  for (const Platform* const platform : all)
    names.push_back(platform->name);
  return names;
}

const Environment with_cxx(Environment::Variables{{"CXX", "g++"}});
const WantedTarget aarch64{"aarch64-linux-gnu", {&platforms[0], &platforms[1]}};
const Compiler cross = compiler("/usr/bin/aarch64-linux-gnu-g++", "aarch64-linux-gnu", "PATH");

} // namespace

TEST_CASE("a triple means all platforms that have it, and a platform's name itself alone") {
  const FakeFiles files;
  const auto triple = wanted_target(request_for("aarch64-linux-gnu"), platforms, files);
  REQUIRE(triple);
  CHECK(names(triple->platforms) == std::vector<std::string>{"linux-sbsa", "linux-aarch64"});
  const auto named = wanted_target(request_for("linux-aarch64"), platforms, files);
  REQUIRE(named);
  CHECK(named->triple == "aarch64-linux-gnu");
  CHECK(names(named->platforms) == std::vector<std::string>{"linux-aarch64"});
}

TEST_CASE("what NVIDIA has no CUDA for, Windows, and a sysroot that is not there are refused") {
  FakeFiles files;
  files.file("/root/usr/include/stdio.h").file("/a-file");
  CHECK_FALSE(wanted_target(request_for("riscv64-linux-gnu"), platforms, files));
  CHECK(wanted_target(request_for("windows-x86_64"), platforms, files).error().message.find("cl.exe") !=
        std::string::npos);
  Request request = request_for("linux-sbsa");
  request.sysroot = "/root";
  CHECK(wanted_target(request, platforms, files));
  for (const char* const wrong : {"/missing", "/a-file"}) {
    request.sysroot = wrong;
    const auto refused = wanted_target(request, platforms, files);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "--sysroot " + std::string(wrong) + ": not a directory");
  }
}

TEST_CASE("a sysroot is used if the C library's headers are below it, by whatever path") {
  FakeFiles files;
  files.file("/real/usr/include/stdio.h").file("/own/include/stdio.h").link("/root", "/real");
  Compiler stdenv = cross;
  for (const char* const used : {"/root/usr/include", "/real/usr/include", ""}) {
    stdenv.c_headers = used;
    CHECK_FALSE(unused_sysroot(stdenv, "/root", files));
    CHECK_FALSE(unused_sysroot(stdenv, "/root/", files));
  }
  CHECK_FALSE(unused_sysroot(stdenv, "/", files));
  for (const char* const unused : {"/own/include", "/rooted/usr/include"}) {
    stdenv.c_headers = unused;
    const auto refused = unused_sysroot(stdenv, "/root", files);
    REQUIRE(refused);
    CHECK(refused->message ==
          "--sysroot /root: /usr/bin/aarch64-linux-gnu-g++ takes the C library's headers from " +
              std::string(unused) + " instead");
  }
}

TEST_CASE("a $CXX that a target passes over is noted, and what nobody named is not") {
  const Toolkit toolkit;
  const auto noted = [&](const Environment& environment, const Result<Compiler>& found,
                         const Compiler& stdenv, const WantedTarget& wanted = aarch64) {
    return target_notes(wanted, environment, found, stdenv, toolkit);
  };
  const Compiler native = compiler("/usr/bin/g++", "x86_64-linux-gnu", "$CXX");
  const auto notes = noted(with_cxx, native, cross);
  REQUIRE(notes.size() == 1);
  CHECK(notes.front() ==
        "$CXX (/usr/bin/g++) makes programs for x86_64-linux-gnu, not for aarch64-linux-gnu: "
        "/usr/bin/aarch64-linux-gnu-g++ is the stdenv instead; unset CXX before builds, because "
        "CMake and others compile .cpp files with it");
  const auto broken = noted(with_cxx, failure("$CXX names 'g++', but it is not on PATH"), cross);
  REQUIRE(broken.size() == 1);
  CHECK(broken.front().starts_with(
      "$CXX names 'g++', but it is not on PATH: /usr/bin/aarch64-linux-gnu-g++ is"));
  const Compiler own = compiler("/usr/bin/aarch64-linux-gnu-g++", "aarch64-linux-gnu", "$CXX");
  CHECK(noted(with_cxx, own, own).empty());
  CHECK(noted(with_cxx, native, native, {}).empty());
  CHECK(noted(Environment(), compiler("/usr/bin/c++", "x86_64-linux-gnu", "PATH"), cross).empty());
  CHECK(noted(Environment(), failure("there is no C++ compiler"), cross).empty());
}

TEST_CASE("of two platforms with one triple in a toolkit the other one is noted") {
  Toolkit toolkit;
  toolkit.root = "/tk";
  toolkit.target =
      ToolkitTarget{"aarch64-linux-gnu", "linux-sbsa", "sbsa-linux", {}, {}, {}, {"linux-aarch64"}};
  CHECK(target_notes(aarch64, Environment(), cross, cross, toolkit) ==
        std::vector<std::string>{"/tk has files for linux-aarch64 too: --target linux-aarch64 chooses them "
                                 "instead of those for linux-sbsa"});
}
