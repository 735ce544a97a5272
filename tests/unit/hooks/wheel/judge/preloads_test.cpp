// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/wheel/judge/judging.hpp"

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;
using WheelFile = hostpin::wheel::WheelFile;

namespace {

/// A package in the form of RAPIDS': its library is opened by a function of its own.
WheelFile opener(const char* name, const char* code) {
  WheelFile wheel = wheel_of(name);
  const std::string library = std::string(name) + ".so";
  add_library(wheel, std::string(name) + "/lib64/" + library, library);
  add_source(wheel, std::string(name) + "/load.py", code);
  return wheel;
}

WheelFile after_preload(const char* code) {
  WheelFile wheel = wheel_of("pkg");
  add_source(wheel, "pkg/__init__.py", code);
  add_module(wheel, "pkg/sub/_C.so", {"libx.so"});
  require(wheel, "libx");
  return wheel;
}

constexpr const char* opening = "soname = 'libx.so'\nctypes.CDLL(os.path.join(here, 'lib64', soname))\n";

} // namespace

TEST_CASE("a library that Python code opens by its path before the import is a note") {
  const Found noted{{"order-dependent", Severity::note}}, refused{{"run-path-missing", Severity::error}};
  CHECK(found(after_preload("import libx\nlibx.load_library()\n"), {opener("libx", opening)}) == noted);
  // through another package that the opener imports
  WheelFile between = opener("liby", "import libx\nctypes.CDLL('liby.so')\n");
  require(between, "libx");
  WheelFile wheel = after_preload("import liby\n");
  require(wheel, "liby");
  CHECK(found(wheel, {opener("libx", opening), between}) == noted);
  CHECK(found(after_preload("import libx\n"), {opener("libx", "ctypes.CDLL('liby.so')\n")}) == refused);
  CHECK(found(after_preload("import libx\n"), {opener("libx", "name = 'libx.so'\n")}) == refused);
  CHECK(found(after_preload("import numpy\n"), {opener("libx", opening)}) == refused);
  CHECK(found(after_preload("# import libx\n"), {opener("libx", opening)}) == refused);
  // a program, which does not run in the process that opened it
  WheelFile program = after_preload("import libx\n");
  program.members.back().elf->image.interpreter = "/lib64/ld-linux-x86-64.so.2";
  program.members.back().elf->is_module = false;
  CHECK(found(program, {opener("libx", opening)}) == Found{{"run-path-missing", Severity::warning}});
  // a package that is there, but that the wheel does not require
  WheelFile loose = after_preload("import libx\n");
  loose.requirements.clear();
  CHECK(found(loose, {opener("libx", opening)}) == refused);
}

TEST_CASE("sources of another distribution in the same directory change nothing") {
  WheelFile other = wheel_of("other");
  add_source(other, "libx/other.py", "ctypes.CDLL('libother.so')\n");
  const WheelFile wheel = after_preload("import libx\n"), libx = opener("libx", opening);
  CHECK(found(wheel, {libx, other}) == Found{{"order-dependent", Severity::note}});
  CHECK(found(wheel, {other, libx}) == Found{{"order-dependent", Severity::note}});
  const WheelFile silent = opener("libx", "name = 'libx.so'\n"); // only the other one opens
  CHECK(found(wheel, {silent, other}) == Found{{"run-path-missing", Severity::error}});
  CHECK(found(wheel, {other, silent}) == Found{{"run-path-missing", Severity::error}});
}

TEST_CASE("the wheel's own code may open what a required wheel has") {
  WheelFile wheel = wheel_of("pkg");
  add_source(wheel, "pkg/__init__.py", "from . import loader\nfrom . import _C\n");
  add_source(wheel, "pkg/loader.py", "for path in paths: ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)\n");
  add_source(wheel, "pkg/_preload_library.json", R"({"library": "libcudart.so.13"})");
  add_module(wheel, "pkg/_C.so", {"libcudart.so.13"});
  require(wheel, "nvidia-cuda-runtime>=13.0,<14");
  CHECK(found(wheel, {nvidia()})["order-dependent"] == Severity::note);
  CHECK_FALSE(found(wheel, {nvidia()}).contains("run-path-missing"));
}

TEST_CASE("of very many patterns in sources the first count, which bounds the work; names count always") {
  const auto with = [](int patterns, const char* last) {
    std::string code = "names = [";
    for (int number = 0; number < patterns; ++number)
      code += "'liba" + std::to_string(number) + "*.so', ";
    return after_preload((code + last + "]\nctypes.CDLL(path)\n").c_str());
  };
  const WheelFile libx = opener("libx", "");
  const Found noted{{"order-dependent", Severity::note}}, refused{{"run-path-missing", Severity::error}};
  CHECK(found(with(20, "'libx*.so'"), {libx}) == noted);
  CHECK(found(with(2000, "'libx*.so'"), {libx}) == refused);
  CHECK(found(with(2000, "'libx.so'"), {libx}) == noted);
}

TEST_CASE("packages that import each other are each read once") {
  WheelFile first = opener("libx", "import liby\n"),
            second = opener("liby", "import libx\nctypes.CDLL('libx.so')\n");
  require(first, "liby");
  CHECK(found(after_preload("import libx\n"), {first, second})["order-dependent"] == Severity::note);
}
