// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/wheel/judge/judging.hpp"

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;
using WheelFile = hostpin::wheel::WheelFile;

TEST_CASE("a renamed runtime is a second one after a package that loads the other") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libcudart-1.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
  add_library(wheel, "pkg.libs/libcudart-1.so.13", "libcudart-1.so.13").cuda_runtime = "libcudart.so.13";
  CHECK(found(wheel).empty());
  require(wheel, "torch");
  CHECK(found(wheel, {torch(), nvidia()})["second-cuda-runtime"] == Severity::error);
  // Under the same name the loader takes the one that is there.
  WheelFile same = wheel_of("pkg");
  add_module(same, "pkg/_C.so", {"libcudart.so.13"}).image.rpath = "$ORIGIN/../pkg.libs";
  add_library(same, "pkg.libs/libcudart.so.13", "libcudart.so.13").cuda_runtime = "libcudart.so.13";
  require(same, "torch");
  CHECK_FALSE(found(same, {torch(), nvidia()}).contains("second-cuda-runtime"));
}

TEST_CASE(
    "so it is if what loads it is a library without an init function, as torch.ops.load_library takes") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg/image.so", "image.so", {"libcudart-1.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
  add_library(wheel, "pkg.libs/libcudart-1.so.13", "libcudart-1.so.13").cuda_runtime = "libcudart.so.13";
  require(wheel, "torch");
  CHECK(found(wheel, {torch(), nvidia()})["second-cuda-runtime"] == Severity::error);
}

TEST_CASE("a renamed runtime may be a second one next to a package that requires NVIDIA's") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libcudart-1.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
  add_library(wheel, "pkg.libs/libcudart-1.so.13", "libcudart-1.so.13").cuda_runtime = "libcudart.so.13";
  CHECK_FALSE(found(wheel, {nvidia()}).contains("second-cuda-runtime"));
  for (const char* const requirement :
       {"nvidia-cuda-runtime>=13.0; extra == 'with-cuda'", "cuda-toolkit[cudart]==13.*"}) {
    WheelFile plugin = wheel_of("jax_cuda13_plugin"); // opens it by name
    add_module(plugin, "jax_cuda13_plugin/_versions.so");
    require(plugin, requirement);
    CHECK(found(wheel, {plugin, nvidia()})["second-cuda-runtime"] == Severity::warning);
    // Under the same name the loader takes the one that is there.
    WheelFile same = wheel_of("pkg");
    add_module(same, "pkg/_C.so", {"libcudart.so.13"}).image.rpath = "$ORIGIN/../pkg.libs";
    add_library(same, "pkg.libs/libcudart.so.13", "libcudart.so.13").cuda_runtime = "libcudart.so.13";
    CHECK_FALSE(found(same, {plugin, nvidia()}).contains("second-cuda-runtime"));
    CHECK_FALSE(found(sound(), {plugin, nvidia()}).contains("second-cuda-runtime"));
  }
  // Not packed: another major of the runtime next to a sound wheel is not a defect of that wheel.
  WheelFile plugin = wheel_of("jax_cuda12_plugin"), runtime = wheel_of("nvidia_cuda_runtime_cu12");
  add_module(plugin, "jax_cuda12_plugin/_versions.so");
  require(plugin, "nvidia-cuda-runtime-cu12");
  add_library(runtime, "nvidia/cuda_runtime/lib/libcudart.so.12", "libcudart.so.12").cuda_runtime =
      "libcudart.so.12";
  CHECK_FALSE(found(sound(), {plugin, runtime, nvidia()}).contains("second-cuda-runtime"));
  CHECK(found(wheel, {plugin, runtime})["second-cuda-runtime"] == Severity::warning);
  // Code in Python may load it as well; a package without code loads nothing.
  WheelFile metapackage = wheel_of("cuda_toolkit");
  require(metapackage, "nvidia-cuda-runtime==13.0.96; extra == 'cudart'");
  CHECK_FALSE(found(wheel, {metapackage, nvidia()}).contains("second-cuda-runtime"));
  WheelFile loader = wheel_of("cuda_loader");
  add_source(loader, "cuda_loader/load.py", "ctypes.CDLL(path)\n");
  require(loader, "nvidia-cuda-runtime");
  CHECK(found(wheel, {metapackage, loader, nvidia()})["second-cuda-runtime"] == Severity::warning);
}

TEST_CASE("a static runtime next to the shared one is a note") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so").has_static_runtime = true;
  CHECK(found(wheel).empty());
  WheelFile both = sound();
  both.members[0].elf->has_static_runtime = true;
  CHECK(found(both)["runtime-of-its-own"] == Severity::note);
}

TEST_CASE("a packed runtime next to one that another module needs and does not find is a second one") {
  for (const char* const runtime : {"libcudart.so.13", "libcudart-1.so.13"}) {
    WheelFile wheel = wheel_of("pkg");
    require(wheel, "nvidia-cuda-runtime>=13.0,<14; extra == 'cuda'");
    add_module(wheel, "pkg/_c.so", {"libcudart.so.13"}).image.runpath = "$ORIGIN/../nvidia/cu13/lib";
    add_module(wheel, "pkg/_d.so", {runtime}).image.runpath = "$ORIGIN/../pkg.libs";
    add_library(wheel, std::string("pkg.libs/") + runtime, runtime).cuda_runtime = "libcudart.so.13";
    const bool is_renamed =
        std::string_view(runtime) != "libcudart.so.13"; // else it is the one that both need
    CHECK(found(wheel).contains("second-cuda-runtime") == is_renamed);
  }
}
