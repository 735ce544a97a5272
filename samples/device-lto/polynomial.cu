// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1 + 2x + 3x^2 for x = 0, 1, 2 ... on the device, checked on the host.
#include "horner.cuh"

#include <cstddef>
#include <iostream>
#include <memory>
#include <vector>

namespace {

constexpr int terms = 3;
constexpr int skipped = 77; // SKIP_RETURN_CODE in CMakeLists.txt
__constant__ int coefficients[terms] = {1, 2, 3};

__global__ void evaluate(int n, int* values) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x < n)
    values[x] = horner(coefficients, terms, x);
}

struct DeviceDelete {
  void operator()(int* memory) const { cudaFree(memory); }
};

bool on_device(std::vector<int>& values) {
  const std::size_t bytes = values.size() * sizeof(int);
  int* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess)
    return false;
  const std::unique_ptr<int, DeviceDelete> owned{memory};
  const int n = static_cast<int>(values.size());
  evaluate<<<(n + 127) / 128, 128>>>(n, memory);
  return cudaMemcpy(values.data(), memory, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
}

} // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "polynomial: no GPU here, skipped" << std::endl;
    return skipped;
  }
  std::vector<int> values(1000);
  if (!on_device(values)) {
    std::cerr << "polynomial: CUDA: " << cudaGetErrorString(cudaGetLastError()) << std::endl;
    return 1;
  }
  for (int x = 0; x < static_cast<int>(values.size()); ++x)
    if (values[static_cast<std::size_t>(x)] != 1 + 2 * x + 3 * x * x) {
      std::cerr << "polynomial: wrong at " << x << std::endl;
      return 1;
    }
  std::cout << "polynomial: 1000 values, all as expected" << std::endl;
}
