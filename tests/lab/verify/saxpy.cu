// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host half is checked everywhere, the device half where there is a GPU. Prints the toolkit's version.
#include <cmath>
#include <cstdio>
#include <vector>

__device__ float product(float a, float x);

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = product(a, x[i]) + y[i];
}

__device__ float product(float a, float x) {
  return a * x;
}

int main() {
  std::vector<float> x(256, 2.0f), y(256, 1.0f);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    float *dx, *dy;
    cudaMalloc(&dx, 1024);
    cudaMalloc(&dy, 1024);
    cudaMemcpy(dx, x.data(), 1024, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), 1024, cudaMemcpyHostToDevice);
    saxpy<<<1, 256>>>(256, 3.0f, dx, dy);
    cudaMemcpy(y.data(), dy, 1024, cudaMemcpyDeviceToHost);
  } else {
    for (int i = 0; i < 256; ++i)
      y[i] += 3.0f * x[i];
  }
  for (float value : y)
    if (std::fabs(value - 7.0f) > 1e-6f)
      return 1;
  std::printf("ok %d.%d\n", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
}
