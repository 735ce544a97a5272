// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// who: prints the capability that the code was compiled for that this GPU runs, `90a`, or `!` and the error
// of the launch.
#include <cstdio>

__global__ void who(int* out) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *out = -__CUDA_ARCH__ / 10;
#elif defined(__CUDA_ARCH__)
  *out = __CUDA_ARCH__ / 10;
#endif
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
  std::printf(value < 0 ? "%da\n" : "%d\n", value < 0 ? -value : value);
}
