// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/wheel/judge/judging.hpp"

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;
using WheelFile = hostpin::wheel::WheelFile;

TEST_CASE("names, tags and RECORD have to agree") {
  WheelFile wheel = sound();
  wheel.wheel = {{"tag", "py3-none-linux_x86_64"}};
  CHECK(found(wheel)["tag-names-differ"] == Severity::warning);
  for (const char* const no_tag : {"", "-manylinux_2_28_x86_64", "py3-none", "py3-none-any-any"}) {
    CAPTURE(no_tag);
    wheel.wheel = {{"tag", "py3-none-manylinux_2_28_x86_64"}, {"tag", no_tag}};
    CHECK(found(wheel)["tag-names-differ"] == Severity::error);
  }
  wheel.wheel.clear();
  CHECK(found(wheel).at("tag-names-differ") == Severity::warning);
  wheel = sound();
  wheel.metadata = {{"name", "other"}, {"version", "1.0"}};
  CHECK(found(wheel)["tag-names-differ"] == Severity::error);
  wheel = sound();
  wheel.record->clear();
  CHECK(found(wheel)["record-incomplete"] == Severity::error);
  wheel = sound();
  wheel.record->push_back({"gone.py", "sha256=x", 1});
  CHECK(found(wheel)["record-incomplete"] == Severity::error);
  wheel = sound();
  wheel.record->push_back(wheel.record->front());
  CHECK(found(wheel)["record-incomplete"] == Severity::warning);
  wheel.record->back().hash = "sha256=y";
  CHECK(found(wheel)["record-incomplete"] == Severity::error);
  wheel = sound();
  wheel.members[0].entry.size = 5;
  CHECK(found(wheel)["record-incomplete"] == Severity::error);
}

TEST_CASE("a wheel for every machine has no machine code, and one for a machine only its own") {
  WheelFile any = wheel_of("pkg", "any");
  add_module(any, "pkg/_C.so");
  CHECK(found(any)["tag-below-needs"] == Severity::error);
  WheelFile arm = wheel_of("pkg", "manylinux_2_28_aarch64");
  add_module(arm, "pkg/_C.so");
  CHECK(found(arm)["foreign-machine"] == Severity::error);
}
