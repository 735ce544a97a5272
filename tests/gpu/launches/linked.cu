// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// who.cu by a device link: value() is in another file.
#include <cstdio>

__device__ int value();

__global__ void who(int* out) {
  *out = value();
}

int main() {
  int *memory = nullptr, value = 0;
  cudaMalloc(&memory, sizeof value);
  who<<<1, 1>>>(memory);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::printf("!%d\n", error);
    return 0;
  }
  cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("%d\n", value);
}
