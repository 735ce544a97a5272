// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clamp.hpp"
#include "devices.hpp"

#include <cuda.h>

int count_devices() {
  int count = 0;
  return cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS ? not_below_zero(count) : 0;
}
