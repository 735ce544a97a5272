// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/wheel/judge/judging.hpp"

#include <utility>

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;
using WheelFile = hostpin::wheel::WheelFile;

TEST_CASE("a sound wheel breaks no rule but that LD_LIBRARY_PATH comes before its RUNPATH") {
  CHECK(found(sound()) == Found{{"system-shadows-wheel", Severity::note}});
  WheelFile rpath = sound();
  std::swap(rpath.members[0].elf->image.runpath, rpath.members[0].elf->image.rpath);
  CHECK(found(rpath).empty());
  CHECK(found(rpath, {nvidia()}).empty());
}

TEST_CASE("without a run path the library is found only after another package, or never") {
  WheelFile wheel = sound();
  wheel.members[0].elf->image.runpath.reset();
  CHECK(found(wheel)["run-path-missing"] == Severity::error);
  require(wheel, "torch");
  const Found after = found(wheel, {torch(), nvidia()});
  CHECK_FALSE(after.contains("run-path-missing"));
  CHECK(after.at("order-dependent") == Severity::warning);
  CHECK(after.at("system-shadows-wheel") == Severity::warning);
}

TEST_CASE("a package that is installed and not required does not count as imported before") {
  WheelFile wheel = sound();
  wheel.members[0].elf->image.runpath.reset();
  CHECK(found(wheel, {torch(), nvidia()})["run-path-missing"] == Severity::error);
}

TEST_CASE("versions of a library that the wheel packs are not needed of the system") {
  WheelFile wheel = wheel_of("pkg");
  wheel::ElfFacts& module = add_module(wheel, "pkg/_C.so", {"libstdc++-1.so.6"});
  module.image.runpath = "$ORIGIN/../pkg.libs";
  module.image.version_needs = {{"libstdc++-1.so.6", {"GLIBCXX_3.4.99"}}};
  add_library(wheel, "pkg.libs/libstdc++-1.so.6", "libstdc++-1.so.6").image.version_definitions = {
      "GLIBCXX_3.4.99"};
  CHECK(found(wheel).empty());
  wheel.members[1].elf->image.version_definitions = {"GLIBCXX_3.4.98"};
  CHECK(found(wheel)["unmet-version-need"] == Severity::error);
}

TEST_CASE("what a library opens by name is searched for from where it is") {
  const std::string opened = "libnvrtc-builtins.so.13.0";
  const auto packed = [&] {
    WheelFile wheel = wheel_of("pkg");
    add_module(wheel, "pkg/_C.so", {"libnvrtc.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
    add_library(wheel, "pkg.libs/libnvrtc.so.13", "libnvrtc.so.13").opened = {opened};
    return wheel;
  };
  WheelFile wheel = packed();
  CHECK(found(wheel).at("opened-library") == Severity::error);
  add_library(wheel, "pkg.libs/" + opened, opened);
  CHECK(found(wheel).at("opened-library") == Severity::warning); // Python may open it before
  wheel.members[1].elf->image.runpath = "$ORIGIN";
  CHECK_FALSE(found(wheel).contains("opened-library"));
  wheel.members[1].elf->image.runpath.reset();
  wheel.members[0].elf->image.needed.push_back(opened);
  CHECK_FALSE(found(wheel).contains("opened-library"));
  WheelFile rpath = packed();
  add_library(rpath, "pkg.libs/" + opened, opened);
  std::swap(rpath.members[0].elf->image.runpath, rpath.members[0].elf->image.rpath);
  CHECK_FALSE(found(rpath).contains("opened-library"));
}

TEST_CASE("NVRTC of NVIDIA's wheel finds its builtins by a DT_RPATH of what loads it only") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libnvrtc.so.13"}).image.runpath = "$ORIGIN/../nvidia/cu13/lib";
  require(wheel, "nvidia-cuda-nvrtc>=13.0,<14");
  CHECK(found(wheel).at("opened-library") == Severity::note);
  std::swap(wheel.members[0].elf->image.runpath, wheel.members[0].elf->image.rpath);
  CHECK(found(wheel).empty());
}

TEST_CASE("PyTorch is assumed where it is required: its libraries, CUDA's, and the order of loading") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libc10.so", "libtorch_cuda.so", "libcudart.so.13"});
  CHECK(found(wheel) == Found{{"requires-missing", Severity::error}});
  require(wheel, "torch==2.11.0");
  CHECK(found(wheel) ==
        Found{{"order-dependent", Severity::warning}, {"system-shadows-wheel", Severity::warning}});
  add_library(wheel, "pkg.libs/libcudart-faf08d9a.so.13", "libcudart-faf08d9a.so.13").cuda_runtime =
      "libcudart.so.13";
  wheel.members[0].elf->image.needed = {"libc10.so", "libcudart-faf08d9a.so.13"};
  wheel.members[0].elf->image.rpath = "$ORIGIN/../pkg.libs";
  CHECK(found(wheel)["second-cuda-runtime"] == Severity::error);
}

TEST_CASE("a library that only another release of PyTorch has is missing, one of an unknown release is not") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libnvfuser_codegen.so"});
  require(wheel, "torch==2.11.0");
  CHECK(found(wheel) == Found{{"missing-library", Severity::error}});
  wheel.requirements.clear();
  require(wheel, "torch==2.6.0+cu118");
  CHECK(found(wheel).empty());
}

TEST_CASE("a function of CUDA that the library which is loaded does not define is missing") {
  WheelFile runtime = nvidia();
  runtime.members[0].elf->cuda.defined = {"cudaMalloc"};
  WheelFile wheel = sound();
  const auto rules = [&](std::vector<std::string> functions, std::deque<WheelFile> others) {
    wheel.members[0].elf->cuda.needed = std::move(functions);
    return found(wheel, std::move(others));
  };
  CHECK_FALSE(rules({"cudaMalloc"}, {runtime}).contains("missing-function"));
  CHECK(rules({"cudaMalloc", "cudaBogus"}, {runtime})["missing-function"] == Severity::error);
  CHECK_FALSE(
      rules({"cudaBogus"}, {}).contains("missing-function")); // functions of what is assumed are not known
  WheelFile other = wheel_of("other");
  add_library(other, "other/libcudart.so.13", "libcudart.so.13").cuda.defined = {"cudaBogus"};
  CHECK(rules({"cudaBogus"}, {runtime, other})["missing-function"] == Severity::error); // its name is served
  add_library(other, "other/libx.so", "libx.so").cuda.defined = {"cudaBogus"};
  CHECK_FALSE(rules({"cudaBogus"}, {runtime, other}).contains("missing-function"));
}

TEST_CASE(
    "a runtime that a required package has loaded serves the functions, not the packed one of its name") {
  WheelFile old = nvidia(), first = torch();
  old.members[0].elf->cuda.defined = {"cudaMalloc"};
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libcudart.so.13"}).image.rpath = "$ORIGIN/../pkg.libs";
  wheel.members[0].elf->cuda.needed = {"cudaNew"};
  wheel::ElfFacts& packed = add_library(wheel, "pkg.libs/libcudart.so.13", "libcudart.so.13");
  packed.cuda_runtime = "libcudart.so.13";
  packed.cuda.defined = {"cudaMalloc", "cudaNew"};
  CHECK_FALSE(found(wheel, {first, old}).contains("missing-function"));
  require(wheel, "torch");
  CHECK(found(wheel, {first, old})["missing-function"] == Severity::error);
}

TEST_CASE("DT_RPATH of a library that no module loads applies to what it loads") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg/lib/liba.so", "liba.so", {"libb.so"});
  add_library(wheel, "pkg/lib/libb.so", "libb.so");
  auto& first = add_library(wheel, "pkg/libz.so", "libz.so", {"liba.so"});
  first.image.rpath = "$ORIGIN/lib";
  CHECK(found(wheel).empty());
  std::swap(wheel.members.back().elf->image.rpath, wheel.members.back().elf->image.runpath);
  CHECK(found(wheel) == Found{{"run-path-missing", Severity::warning}});
}

TEST_CASE("what a module loads through a run path with .. is not judged alone") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg.libs/liba.so", "liba.so", {"libb.so"});
  add_library(wheel, "pkg.libs/libb.so", "libb.so");
  add_module(wheel, "pkg/_C.so", {"liba.so"}).image.rpath = "$ORIGIN/../pkg.libs";
  CHECK(found(wheel).empty());
}
