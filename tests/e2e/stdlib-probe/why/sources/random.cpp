// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <random>

// Made before main.
std::random_device device;

int dice() {
  std::mt19937 engine(device());
  return std::uniform_int_distribution<int>(1, 6)(engine) + static_cast<int>(device.entropy());
}
