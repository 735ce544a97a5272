// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches a kernel of each source and checks what it wrote: exit code 0, or 1 and the runtime's error.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void first(int* out) {
  *out = 1;
}

#ifdef TWO_SOURCES
int second(int* out);
#else
static int second(int*) {
  return 2;
}
#endif

static bool fails(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    std::printf("%s: error %d, %s\n", what, static_cast<int>(error), cudaGetErrorName(error));
  return error != cudaSuccess;
}

int main() {
  int* out = nullptr;
  int value = 0;
  if (fails(cudaMalloc(&out, sizeof(int)), "cudaMalloc"))
    return 1;
  first<<<1, 1>>>(out);
  if (fails(cudaGetLastError(), "launch") ||
      fails(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost), "copy"))
    return 1;
  if (value != 1 || second(out) != 2) {
    std::puts("a kernel did not run");
    return 1;
  }
  std::puts("ran");
}
