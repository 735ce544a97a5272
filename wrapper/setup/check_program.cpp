// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/check_program.hpp"

#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

// The host half throws, sorts and prints, so that it needs libstdc++; without a GPU the kernel is not run. It
// prints one line.
constexpr const char* source = R"(#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

static void host_half() {
  std::vector<std::string> words{"saxpy", "host", "half"};
  std::sort(words.begin(), words.end());
  try {
    throw std::runtime_error(words.front());
  } catch (const std::exception& error) {
    if (words.back() != "saxpy" || std::string(error.what()) != "half")
      throw;
  }
}

static const char* kernel() {
  const int n = 1000;
  std::vector<float> x(n, 2.0f), y(n, 1.0f);
  float *dx = nullptr, *dy = nullptr;
  cudaError_t error = cudaMalloc(&dx, n * sizeof(float));
  if (error == cudaSuccess)
    error = cudaMalloc(&dy, n * sizeof(float));
  if (error == cudaSuccess)
    error = cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  if (error == cudaSuccess)
    error = cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  if (error == cudaSuccess) {
    saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, dx, dy);
    error = cudaGetLastError();
  }
  if (error == cudaSuccess)
    error = cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(dx);
  cudaFree(dy);
  if (error != cudaSuccess)
    return cudaGetErrorString(error);
  return std::count(y.begin(), y.end(), 7.0f) == n ? nullptr : "it computed wrong values";
}

int main() {
  host_half();
  int gpus = 0;
  const cudaError_t error = cudaGetDeviceCount(&gpus);
  if (error != cudaSuccess || gpus == 0) {
    std::printf("its host half ran; its kernel was not run: %s\n",
                error != cudaSuccess ? cudaGetErrorString(error) : "there is no GPU");
    return 0;
  }
  const char* const wrong = kernel();
  if (wrong != nullptr)
    std::printf("its host half ran; its kernel did not run here: %s\n", wrong);
  else
    std::printf("its host half and its kernel ran\n");
}
)";

constexpr std::chrono::minutes longest{3};

/// The first lines that a program printed.
std::string excerpt(const Outcome& outcome) {
  constexpr std::size_t most = 2000;
  const std::string all = outcome.errors + outcome.output;
  return describe(outcome) + (all.empty() ? "" : "\n" + all.substr(0, most));
}

} // namespace

Result<std::string> run_check_program(const std::string& bound, const std::string& work,
                                      const Processes& processes) {
  const std::string file = work + "/saxpy.cu", program = work + "/saxpy";
  TRY(replace_file(file, source, false));
  Command build{{bound + "/nvcc", file, "-o", program},
                {},
                {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"},
                longest};
  build.own_temporary = true;
  const Outcome built = processes.run({&build, 1}).front();
  if (!built.ok())
    return failure(
        fmt::format("the check program {} was not built by {}/nvcc: {}", file, bound, excerpt(built)),
        "report this, with these lines");
  const Command run{{program}, {}, {}, longest};
  const Outcome ran = processes.run({&run, 1}).front();
  if (!ran.ok())
    return failure(fmt::format("the check program {} was built and did not run: {}", program, excerpt(ran)),
                   "report this, with these lines");
  return ran.output.substr(0, ran.output.find('\n'));
}

} // namespace hostpin::setup
