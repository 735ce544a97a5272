// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/wheel/judge/judging.hpp"

#include <optional>
#include <string_view>

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;
using WheelFile = hostpin::wheel::WheelFile;

TEST_CASE("run paths must not leave the directory of wheels") {
  struct Row {
    const char* path;
    std::optional<Severity> severity;
  };
  for (const Row& row : {Row{"$ORIGIN/../nvidia/cu13/lib", std::nullopt},
                         Row{"/__w/_temp/lib:$ORIGIN/../nvidia/cu13/lib", Severity::error},
                         Row{"lib:$ORIGIN/../nvidia/cu13/lib", Severity::error},
                         Row{"/usr/local/cuda/lib64:$ORIGIN/../nvidia/cu13/lib", Severity::warning},
                         Row{"$ORIGIN/../../../../../../x:$ORIGIN/../nvidia/cu13/lib", Severity::warning},
                         Row{"$ORIGIN/../../../../lib:$ORIGIN/../nvidia/cu13/lib", std::nullopt}}) {
    CAPTURE(row.path);
    WheelFile wheel = sound();
    wheel.members[0].elf->image.runpath = row.path;
    const Found rules = found(wheel);
    CHECK(rules.contains("run-path-leaves-site") == row.severity.has_value());
    if (row.severity)
      CHECK(rules.at("run-path-leaves-site") == *row.severity);
  }
}

TEST_CASE("the driver is never packed, under whatever name") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg.libs/libx.so", "libx.so").is_driver = true;
  CHECK(found(wheel)["vendored-driver"] == Severity::error);
  WheelFile other = wheel_of("pkg");
  add_library(other, "pkg.libs/libnvidia-ml.so.1", "libnvidia-ml.so.1");
  CHECK(found(other)["vendored-driver"] == Severity::error);
}

TEST_CASE("a library that only has the name of libcuda is not the driver, and a warning") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg/mock/libcuda.so.1", "libcuda.so.1");
  CHECK(found(wheel) == Found{{"vendored-driver", Severity::warning}});
}

TEST_CASE("a file that the loader refuses is an error; musl's gives every library the stack that it has") {
  for (const bool is_of_musl : {false, true}) {
    WheelFile wheel = wheel_of("pkg", is_of_musl ? "musllinux_1_2_x86_64" : "manylinux_2_28_x86_64");
    add_module(wheel, "pkg/_C.so").image.refusals = {binary::Refusal::executable_stack,
                                                     binary::Refusal::misaligned_segment};
    CHECK(found(wheel).contains("executable-stack") == !is_of_musl);
    CHECK(found(wheel).at("misaligned-segment") == Severity::error);
  }
}

TEST_CASE("what a loader refuses counts by the glibc that the tag names") {
  const auto of = [](const char* platform, binary::Refusal refusal) {
    WheelFile wheel = wheel_of("pkg", platform);
    add_module(wheel, "pkg/_C.so").image.refusals = {refusal};
    return found(wheel)["loader-refuses"];
  };
  CHECK(of("manylinux_2_28_x86_64", binary::Refusal::misplaced_segment) == Severity::error);
  CHECK(of("linux_x86_64", binary::Refusal::misplaced_segment) == Severity::warning);
  CHECK(of("linux_x86_64", binary::Refusal::os_abi) == Severity::error);
  CHECK(of("manylinux_2_28_x86_64", binary::Refusal::program) == Severity::error);
  WheelFile newer = wheel_of("pkg", "manylinux_2_35_x86_64");
  add_module(newer, "pkg/_C.so").image.refusals = {binary::Refusal::misplaced_segment};
  CHECK_FALSE(found(newer).contains("loader-refuses"));
  WheelFile library = wheel_of("pkg");
  add_library(library, "pkg.libs/libx.so", "libx.so").image.refusals = {binary::Refusal::program};
  CHECK_FALSE(found(library).contains("loader-refuses")); // perhaps one without an interpreter
}
