// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/gpus/target.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::gpus;

TEST_CASE(
    "Jetsons have a platform of their own until CUDA 12.9, and share one with other machines from 13.0 on") {
  const auto platforms = load_platforms(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(platforms);
  const Version v12_4{12, 4, 131}, v12_9{12, 9, 86}, v13_0{13, 0, 48};
  for (const Version& old : {v12_4, v12_9}) {
    CHECK(target_gpus(*platforms, "linux-aarch64", old) == TargetGpus::jetsons);
    CHECK(target_gpus(*platforms, "linux-sbsa", old) == TargetGpus::others);
  }
  CHECK(target_gpus(*platforms, "linux-sbsa", v13_0) == TargetGpus::both);
  CHECK(target_gpus(*platforms, "linux-ppc64le", v12_4) == TargetGpus::others);
  CHECK(target_gpus(*platforms, "linux-unheard-of", v13_0) == TargetGpus::one_kind);
}
