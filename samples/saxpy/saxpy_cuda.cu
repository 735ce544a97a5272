// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of CUDA sources only: nvcc compiles it, and its host compiler would link it.
#include "report.hpp"
#include "saxpy.cuh"

#include <exception>
#include <iostream>

namespace {

constexpr int skipped = 77; // SKIP_RETURN_CODE in CMakeLists.txt

int run(const std::string& half) {
  constexpr std::size_t n = 1 << 20;
  std::vector<float> x(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i);
    expected[i] = static_cast<float>(2 * i + 1); // exact: below 2^24
  }
  const std::vector<float> y(n, 1.0F);

  bool good = true;
  if (half != "device")
    good &= report("saxpy_cuda: host half", saxpy_host(2.0F, x, y), expected, "saxpy_cuda.log");
  if (half == "host")
    return good ? 0 : 1;
  if (!has_device()) {
    std::cout << "saxpy_cuda: no GPU here, device half skipped" << std::endl;
    return half == "device" ? skipped : !good;
  }
  good &= report("saxpy_cuda: device half", saxpy_device(2.0F, x, y), expected, "saxpy_cuda.log");
  return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "both");
  } catch (const std::exception& error) {
    std::cerr << "saxpy_cuda: " << error.what() << std::endl;
    return 1;
  }
}
