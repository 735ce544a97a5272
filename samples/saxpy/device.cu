// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.hpp"
#include "saxpy.cuh"

bool saxpy_on_device(float a, const std::vector<float>& x, std::vector<float>& y) {
  if (!has_device())
    return false;
  y = saxpy_device(a, x, y);
  return true;
}
