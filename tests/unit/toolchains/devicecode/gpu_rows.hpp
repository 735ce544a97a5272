// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/shipped_data.hpp"
#include "toolchains/gpus/gpus.hpp"

#include <vector>

namespace hostpin::test {

inline const std::vector<gpus::Gpu>& gpu_rows() {
  static const auto rows = gpus::load_gpus(DiskFiles(), hostpin::test::shipped_data()).value();
  return rows;
}

} // namespace hostpin::test
