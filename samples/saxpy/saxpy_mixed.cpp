// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++ program with one CUDA source: CXX compiles and links it, nvcc compiles device.cu.
#include "device.hpp"
#include "report.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <numeric>

namespace {

constexpr int skipped = 77; // SKIP_RETURN_CODE in CMakeLists.txt

int run(const std::string& half) {
  constexpr std::size_t n = 1 << 20;
  constexpr float a = 3.0F;
  std::vector<float> x(n), y(n, 2.0F), expected(n);
  std::iota(x.begin(), x.end(), 0.0F);
  for (std::size_t i = 0; i < n; ++i)
    expected[i] = static_cast<float>(3 * i + 2); // exact: below 2^24

  bool good = true;
  if (half != "device") {
    std::vector<float> result(n);
    std::transform(x.begin(), x.end(), y.begin(), result.begin(),
                   [](float xi, float yi) { return a * xi + yi; });
    good &= report("saxpy_mixed: host half", result, expected, "saxpy_mixed.log");
  }
  if (half == "host")
    return good ? 0 : 1;
  if (!saxpy_on_device(a, x, y)) {
    std::cout << "saxpy_mixed: no GPU here, device half skipped" << std::endl;
    return half == "device" ? skipped : !good;
  }
  good &= report("saxpy_mixed: device half", y, expected, "saxpy_mixed.log");
  return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "both");
  } catch (const std::exception& error) {
    std::cerr << "saxpy_mixed: " << error.what() << std::endl;
    return 1;
  }
}
