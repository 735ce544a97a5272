// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/shipped_data.hpp"
#include "toolchains/gpus/gpus.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace hostpin::test {

using namespace gpus;

/// The rows that are shipped.
inline const std::vector<Gpu>& shipped_gpus() {
  static const auto loaded = load_gpus(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE_MESSAGE(loaded, loaded.error().message);
  return *loaded;
}

} // namespace hostpin::test
