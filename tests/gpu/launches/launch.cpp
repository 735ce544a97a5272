// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// launch FATBIN...: launches the kernel `who` of each, once for each way to load a fatbin, and prints what it
// wrote, or the number of the error: `FATBIN module 2 fatbinary 2 library 2 linked 2`, `... module !209 ...`.
// `linked` is the way of a linked program: nvcc's start code registers a wrapper, and the runtime launches by
// the address of a host function.
#include <array>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int threads,
                            uint3* thread, uint3* block, dim3* block_size, dim3* grid_size, int* warp);
}

namespace {

struct Wrapper {
  int magic = 0x466243b1, version = 1;
  const void* fatbin = nullptr;
  const void* list = nullptr;
};

struct Fatbin {
  std::string path;
  std::vector<unsigned long long> bytes; ///< aligned, as in a section
  Wrapper wrapper{};
  char host = 0; ///< its address stands for the host function
};

int* output = nullptr;

std::string written(CUresult launched) {
  if (launched != CUDA_SUCCESS)
    return "!" + std::to_string(launched);
  int value = 0;
  const cudaError_t copied = cudaMemcpy(&value, output, sizeof value, cudaMemcpyDeviceToHost);
  cudaMemset(output, 0, sizeof value);
  return copied == cudaSuccess ? std::to_string(value) : "!!" + std::to_string(copied);
}

std::string launched(CUfunction function) {
  void* argument = &output;
  return written(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, &argument, nullptr));
}

using Load = CUresult (*)(CUmodule*, const void*);

std::string by_module(Load load, const void* image) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUresult result = load(&module, image);
  if (result == CUDA_SUCCESS)
    result = cuModuleGetFunction(&function, module, "who");
  const std::string text = result == CUDA_SUCCESS ? launched(function) : written(result);
  if (module != nullptr)
    cuModuleUnload(module);
  return text;
}

std::string by_library(const void* image) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUresult result = cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == CUDA_SUCCESS)
    result = cuLibraryGetKernel(&kernel, library, "who");
  const std::string text =
      result == CUDA_SUCCESS ? launched(reinterpret_cast<CUfunction>(kernel)) : written(result);
  if (library != nullptr)
    cuLibraryUnload(library);
  return text;
}

std::string linked(const Fatbin& fatbin) {
  void* argument = &output;
  const cudaError_t result = cudaLaunchKernel(&fatbin.host, dim3(1), dim3(1), &argument, 0, nullptr);
  cudaGetLastError();
  return written(static_cast<CUresult>(result));
}

void start(Fatbin& fatbin) {
  std::ifstream file(fatbin.path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  fatbin.bytes.resize(bytes.size() / 8 + 1);
  bytes.copy(reinterpret_cast<char*>(fatbin.bytes.data()), bytes.size());
  fatbin.wrapper.fatbin = fatbin.bytes.data();
  static char name[] = "who";
  void** const handle = __cudaRegisterFatBinary(&fatbin.wrapper);
  __cudaRegisterFunction(handle, &fatbin.host, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
}

} // namespace

int main(int count, char** arguments) {
  std::vector<Fatbin> fatbins(static_cast<std::size_t>(count - 1));
  for (std::size_t i = 0; i < fatbins.size(); ++i) {
    fatbins[i].path = arguments[i + 1];
    start(fatbins[i]);
  }
  if (const cudaError_t error = cudaMalloc(&output, sizeof *output); error != cudaSuccess) {
    std::fprintf(stderr, "launch: error: no memory of a GPU: %s\n", cudaGetErrorString(error));
    return 2;
  }
  for (const Fatbin& fatbin : fatbins) {
    const void* const image = fatbin.bytes.data();
    std::printf("%s module %s fatbinary %s library %s linked %s\n", fatbin.path.c_str(),
                by_module(cuModuleLoadData, image).c_str(), by_module(cuModuleLoadFatBinary, image).c_str(),
                by_library(image).c_str(), linked(fatbin).c_str());
    std::fflush(stdout);
  }
}
