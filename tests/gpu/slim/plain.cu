// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what the driver compiled or loaded one kernel as.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void kernel(int* out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__;
#endif
}

int main() {
  int* out = nullptr;
  int value = -1;
  cudaFuncAttributes found{};
  if (cudaMalloc(&out, sizeof(int)) != cudaSuccess || cudaFuncGetAttributes(&found, kernel) != cudaSuccess)
    return 1;
  kernel<<<1, 1>>>(out);
  if (cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  std::printf("compiled from %d, machine code %d PTX %d\n", value, found.binaryVersion, found.ptxVersion);
}
