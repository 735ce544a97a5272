// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host half and the driver look up in device code by name or by address. Prints one line for each;
// it checks every call but those of `unchecked`.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <stdexcept>

__managed__ int managed = 7;
__constant__ int table[4];
__device__ int global = 11;
__device__ int other_unit(int value);

__global__ void who(int* out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__;
#endif
}
__global__ void variables(int* out) {
  *out = managed + table[2] + global;
}
__global__ void texture(cudaTextureObject_t from, int* out) {
  *out = tex1Dfetch<int>(from, 3);
}
__global__ void surface(cudaSurfaceObject_t on) {
  surf2Dwrite(42, on, 0, 0);
}
__global__ void linked(int* out) {
  *out = other_unit(5);
}
template <typename Type>
__global__ void doubled(Type* out) {
  *out = *out + *out;
}

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    std::printf("%s: error %d\n", what, static_cast<int>(status));
    throw std::runtime_error(what); // unwinds: .eh_frame must still be found
  }
}

int* device_int() {
  int* at = nullptr;
  check(cudaMalloc(&at, sizeof(int)), "cudaMalloc");
  check(cudaMemset(at, 0, sizeof(int)), "cudaMemset");
  return at;
}

void print(const char* name, const int* at) {
  check(cudaGetLastError(), name);
  int value = 0;
  check(cudaMemcpy(&value, at, sizeof(int), cudaMemcpyDeviceToHost), name);
  std::printf("%s %d\n", name, value);
}

void attributes() {
  cudaFuncAttributes found{};
  check(cudaFuncGetAttributes(&found, who), "attributes");
  std::printf("attributes machine code %d PTX %d\n", found.binaryVersion, found.ptxVersion);
}

void run_who() {
  int* const out = device_int();
  who<<<1, 1>>>(out);
  print("who", out);
}

void run_variables() {
  const int values[4] = {1, 2, 3, 4};
  check(cudaMemcpyToSymbol(table, values, sizeof values), "constant");
  int* const out = device_int();
  managed += 1;
  variables<<<1, 1>>>(out);
  check(cudaDeviceSynchronize(), "variables");
  print("variables", out);
}

void run_texture() {
  int* data = nullptr;
  const int values[4] = {5, 6, 7, 8};
  check(cudaMalloc(&data, sizeof values), "texture");
  check(cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice), "texture");
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeLinear;
  from.res.linear.devPtr = data;
  from.res.linear.desc = cudaCreateChannelDesc<int>();
  from.res.linear.sizeInBytes = sizeof values;
  cudaTextureDesc how{};
  cudaTextureObject_t object = 0;
  check(cudaCreateTextureObject(&object, &from, &how, nullptr), "texture");
  int* const out = device_int();
  texture<<<1, 1>>>(object, out);
  print("texture", out);
}

void run_surface() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  check(cudaMallocArray(&array, &format, 4, 4, cudaArraySurfaceLoadStore), "surface");
  cudaResourceDesc on{};
  on.resType = cudaResourceTypeArray;
  on.res.array.array = array;
  cudaSurfaceObject_t object = 0;
  check(cudaCreateSurfaceObject(&object, &on), "surface");
  surface<<<1, 1>>>(object);
  check(cudaGetLastError(), "surface");
  int value = 0;
  check(cudaMemcpy2DFromArray(&value, sizeof value, array, 0, 0, sizeof value, 1, cudaMemcpyDeviceToHost),
        "surface");
  std::printf("surface %d\n", value);
}

void run_graph() {
  int* const out = device_int();
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamCreate(&stream), "graph");
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "graph");
  who<<<1, 1, 0, stream>>>(out);
  doubled<<<1, 1, 0, stream>>>(out);
  check(cudaStreamEndCapture(stream, &graph), "graph");
  check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  check(cudaGraphLaunch(ready, stream), "graph");
  check(cudaStreamSynchronize(stream), "graph");
  print("graph", out);
}

void run_linked() {
  int* const out = device_int();
  linked<<<1, 1>>>(out);
  print("linked", out);
}

/// What a program that does not check its launches prints.
void unchecked() {
  int* out = nullptr;
  cudaMalloc(&out, sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  who<<<1, 1>>>(out);
  int value = -1;
  const cudaError_t status = cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("unchecked %d, cudaMemcpy: error %d\n", value, static_cast<int>(status));
}

} // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "unchecked") == 0) {
    unchecked();
    return 0;
  }
  try {
    attributes();
    run_who();
    run_variables();
    run_texture();
    run_surface();
    run_graph();
    run_linked();
  } catch (const std::exception& error) {
    std::printf("caught %s\n", error.what());
    return 1;
  }
  return 0;
}
