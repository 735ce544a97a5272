// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/wheel/judge/judging.hpp"

#include <string_view>

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;
using WheelFile = hostpin::wheel::WheelFile;

TEST_CASE("requirements have to name the distribution, of the right major and with an upper bound") {
  WheelFile wheel = sound();
  wheel.requirements.clear();
  CHECK(found(wheel)["requires-missing"] == Severity::error);
  require(wheel, "numpy"); // which may require it
  CHECK(found(wheel)["requires-missing"] == Severity::warning);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime; extra == 'x'")};
  CHECK(found(wheel)["requires-missing"] == Severity::note);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime-cu12")};
  CHECK(found(wheel)["requires-wrong-major"] == Severity::error);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime<13")};
  CHECK(found(wheel)["requires-wrong-major"] == Severity::error);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime>=13.0")};
  CHECK(found(wheel)["requires-loose"] == Severity::warning);
  wheel.members[0].elf->cuda.needed = {"cudaGreenCtxCreate"}; // since 13.1
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime>=13.0,<14")};
  CHECK(found(wheel)["requires-loose"] == Severity::warning);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime>=13.1,<14")};
  CHECK_FALSE(found(wheel).contains("requires-loose"));
  wheel.members[0].elf->cuda.needed.clear();
  wheel.requirements = {*wheel::read_requirement("cuda-toolkit[cudart]==13.0.2")};
  CHECK(found(wheel) == Found{{"system-shadows-wheel", Severity::note}});
}

TEST_CASE("a requirement that no release with a function fits is an error") {
  WheelFile wheel = wheel_of("pkg");
  wheel::ElfFacts& module = add_module(wheel, "pkg/_C.so", {"libcudart.so.12"});
  module.image.rpath = "$ORIGIN/../nvidia/cuda_runtime/lib";
  module.cuda.needed = {"cudaLibraryLoadData"}; // since 12.8
  struct Row {
    const char* text;
    std::string_view rule;
  };
  for (const Row& row : {Row{"nvidia-cuda-runtime-cu12==12.1.105", "requires-too-old"},
                         Row{"nvidia-cuda-runtime-cu12<12.8", "requires-too-old"},
                         Row{"nvidia-cuda-runtime-cu12<12.9", "requires-loose"},
                         Row{"nvidia-cuda-runtime-cu12==12.8.90", ""}}) {
    CAPTURE(row.text);
    wheel.requirements = {*wheel::read_requirement(row.text)};
    const Found rules = found(wheel);
    for (const char* const one : {"requires-too-old", "requires-loose"})
      CHECK(rules.contains(one) == (one == row.rule));
  }
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime-cu12==12.1.105")};
  CHECK(found(wheel)["requires-too-old"] == Severity::error);
}

TEST_CASE("functions of PyTorch are compared with those that it has") {
  WheelFile torch = wheel_of("torch");
  add_library(torch, "torch/lib/libc10.so", "libc10.so").torch_defined = {"_ZN3c101aEv"};
  WheelFile wheel = wheel_of("pkg");
  wheel::ElfFacts& module = add_module(wheel, "pkg/_C.so", {"libc10.so"});
  module.image.runpath = "$ORIGIN/../torch/lib";
  module.torch_needed = {"_ZN3c101aEv"};
  require(wheel, "torch");
  CHECK(found(wheel, {torch}).empty());
  wheel.members[0].elf->torch_needed = {"_ZN3c101aEv", "_ZN3c101bENSt7__cxx1112basic_stringE"};
  CHECK(found(wheel, {torch})["torch-abi"] == Severity::error);
  wheel.members[0].elf->torch_needed = {"_ZN3c101aEv"};
  wheel.members[0].elf->image.needed = {};
  CHECK(found(wheel, {torch})["torch-abi"] == Severity::error);
}

TEST_CASE("a function that the runtime of the required PyTorch does not have yet is an error") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libc10.so", "libcudart.so.12"}).cuda.needed = {
      "cudaGetDriverEntryPointByVersion"};
  require(wheel, "torch==2.1.2"); // with ==12.1.105
  CHECK(found(wheel)["requires-too-old"] == Severity::error);
  wheel.requirements = {*wheel::read_requirement("torch==2.8.0")};
  CHECK_FALSE(found(wheel).contains("requires-too-old"));
  wheel.requirements = {*wheel::read_requirement("torch")};
  CHECK_FALSE(found(wheel).contains("requires-too-old"));
}
