// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram.hpp"

#include <memory>
#include <stdexcept>

namespace {

__global__ void count_bytes(std::size_t n, const unsigned char* text, unsigned* counts) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n)
    atomicAdd(&counts[text[i]], 1U);
}

void check(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

struct DeviceDelete {
  void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, DeviceDelete>;

DeviceMemory on_device(const void* bytes, std::size_t size) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, size));
  DeviceMemory owned{memory};
  check(cudaMemcpy(memory, bytes, size, cudaMemcpyHostToDevice));
  return owned;
}

} // namespace

bool has_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

Histogram histogram_on_host(const std::string& text) {
  Histogram counts{};
  for (const char byte : text)
    ++counts[static_cast<unsigned char>(byte)];
  return counts;
}

Histogram histogram_on_device(const std::string& text) {
  Histogram counts{};
  if (text.empty())
    return counts;
  const DeviceMemory bytes = on_device(text.data(), text.size());
  const DeviceMemory sums = on_device(counts.data(), sizeof counts);
  constexpr unsigned threads = 256;
  const unsigned blocks = static_cast<unsigned>((text.size() + threads - 1) / threads);
  count_bytes<<<blocks, threads>>>(text.size(), static_cast<const unsigned char*>(bytes.get()),
                                   static_cast<unsigned*>(sums.get()));
  check(cudaGetLastError());
  check(cudaMemcpy(counts.data(), sums.get(), sizeof counts, cudaMemcpyDeviceToHost));
  return counts;
}
