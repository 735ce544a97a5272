// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/// One element of `a * x + y`: the same source for both halves.
__host__ __device__ inline float axpy(float a, float x, float y) {
  return a * x + y;
}

static __global__ void saxpy_kernel(std::size_t n, float a, const float* x, float* y) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n)
    y[i] = axpy(a, x[i], y[i]);
}

inline void check(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

/// True if there is a device and its driver is new enough for this runtime.
inline bool has_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

struct DeviceDelete {
  void operator()(float* memory) const { cudaFree(memory); }
};
using DeviceArray = std::unique_ptr<float, DeviceDelete>;

inline DeviceArray on_device(const std::vector<float>& values) {
  const std::size_t bytes = values.size() * sizeof(float);
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  DeviceArray array{static_cast<float*>(memory)};
  check(cudaMemcpy(array.get(), values.data(), bytes, cudaMemcpyHostToDevice));
  return array;
}

inline std::vector<float> saxpy_device(float a, const std::vector<float>& x, std::vector<float> y) {
  const DeviceArray dx = on_device(x), dy = on_device(y);
  constexpr unsigned threads = 256;
  const unsigned blocks = static_cast<unsigned>((y.size() + threads - 1) / threads);
  saxpy_kernel<<<blocks, threads>>>(y.size(), a, dx.get(), dy.get());
  check(cudaGetLastError());
  check(cudaMemcpy(y.data(), dy.get(), y.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return y;
}

inline std::vector<float> saxpy_host(float a, const std::vector<float>& x, std::vector<float> y) {
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = axpy(a, x[i], y[i]);
  return y;
}
