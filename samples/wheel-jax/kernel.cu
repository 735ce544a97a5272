// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.hpp"

namespace {

__global__ void threshold_kernel(std::size_t n, float limit, const float* x, float* y) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n)
    y[i] = copysignf(fmaxf(fabsf(x[i]) - limit, 0.0F), x[i]);
}

} // namespace

cudaError_t threshold_on_device(cudaStream_t stream, std::size_t n, float limit, const float* x, float* y) {
  constexpr std::size_t threads = 256;
  if (n > 0)
    threshold_kernel<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream>>>(n, limit, x,
                                                                                                 y);
  return cudaGetLastError();
}
