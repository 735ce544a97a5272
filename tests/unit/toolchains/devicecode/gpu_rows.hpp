// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/gpus/gpus.hpp"

#include <vector>

namespace hostpin::test {

inline const std::vector<gpus::Gpu>& gpu_rows() {
  static const auto rows = gpus::load_gpus(DiskFiles(), HOSTPIN_DATA).value();
  return rows;
}

} // namespace hostpin::test
