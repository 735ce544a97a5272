// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of another source, with device code of its own.
#include <cuda_runtime.h>

__global__ void other(int* out) {
  *out = 2;
}

int second(int* out) {
  int value = 0;
  other<<<1, 1>>>(out);
  if (cudaGetLastError() != cudaSuccess ||
      cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess)
    return -1;
  return value;
}
