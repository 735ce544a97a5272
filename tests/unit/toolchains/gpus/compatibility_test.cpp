// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/gpus/shipped.hpp"
#include "toolchains/gpus/compatibility.hpp"

using namespace hostpin;
using namespace hostpin::test;

namespace {

struct Row {
  const char *code, *gpu;
  bool machine_code, ptx;
};

Capability named(const char* text) {
  const auto capability = capability_named(text);
  REQUIRE_MESSAGE(capability, text);
  return *capability;
}

} // namespace

TEST_CASE("machine code runs on its major from its minor on, PTX on everything from its capability on") {
  for (const Row& row : std::vector<Row>{{"8.0", "8.0", true, true},
                                         {"8.0", "8.6", true, true},
                                         {"8.6", "8.0", false, false},
                                         {"8.6", "8.9", true, true},
                                         {"8.0", "9.0", false, true},
                                         {"9.0", "8.9", false, false},
                                         {"7.0", "7.5", true, true},
                                         {"10.0", "10.3", true, true},
                                         {"10.3", "12.0", false, true},
                                         {"12.0", "12.9", true, true}}) {
    CAPTURE(row.code);
    CAPTURE(row.gpu);
    CHECK(runs_machine_code(shipped_gpus(), named(row.code), named(row.gpu)) == row.machine_code);
    CHECK(compiles_ptx(shipped_gpus(), named(row.code), named(row.gpu)) == row.ptx);
  }
}

TEST_CASE("code of an `a` variant is for its capability only, that of an `f` variant for its family") {
  for (const Row& row : std::vector<Row>{{"9.0a", "9.0", true, true},
                                         {"10.0a", "10.3", false, false},
                                         {"10.0a", "12.0", false, false},
                                         {"10.0f", "10.0", true, true},
                                         {"10.0f", "10.3", true, true},
                                         {"10.0f", "10.7", true, true},
                                         {"10.3f", "10.0", false, false},
                                         {"10.0f", "11.0", false, false},
                                         {"10.0f", "12.0", false, false},
                                         {"10.0f", "10.1", false, false},
                                         {"12.0f", "12.1", true, true},
                                         {"12.1f", "12.0", false, false},
                                         {"12.0f", "12.9", false, false},
                                         {"9.0f", "9.0", false, false}}) {
    CAPTURE(row.code);
    CAPTURE(row.gpu);
    CHECK(runs_machine_code(shipped_gpus(), named(row.code), named(row.gpu)) == row.machine_code);
    CHECK(compiles_ptx(shipped_gpus(), named(row.code), named(row.gpu)) == row.ptx);
  }
}

TEST_CASE("a Jetson runs its own machine code only, and compiles all older PTX") {
  for (const Row& row : std::vector<Row>{{"8.6", "8.7", false, true},
                                         {"8.7", "8.7", true, true},
                                         {"8.7", "8.9", false, true},
                                         {"8.7", "8.8", false, true},
                                         {"7.0", "7.2", false, true},
                                         {"11.0f", "11.0", true, true}}) {
    CAPTURE(row.code);
    CAPTURE(row.gpu);
    CHECK(runs_machine_code(shipped_gpus(), named(row.code), named(row.gpu)) == row.machine_code);
    CHECK(compiles_ptx(shipped_gpus(), named(row.code), named(row.gpu)) == row.ptx);
  }
}
