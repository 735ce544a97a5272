// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/cuda_runtime.hpp"

#include <doctest/doctest.h>

using namespace hostpin::binary;

TEST_CASE("a shared CUDA runtime is known by the versions of its symbols, whatever its name") {
  SharedObject image;
  image.soname = "libcudart-faf08d9a.so.13";
  CHECK(shared_cuda_runtime(image, "libcudart-faf08d9a.so.13.0.96").empty());
  image.version_definitions = {"libcudart-faf08d9a.so.13", "libcudart.so.13"};
  CHECK(shared_cuda_runtime(image, "x.so") == "libcudart.so.13");
  image.version_definitions = {"libcublas.so.13"};
  CHECK(shared_cuda_runtime(image, "x.so").empty());
}

TEST_CASE("without symbol versions the soname counts, then the file name") {
  SharedObject image;
  CHECK(shared_cuda_runtime(image, "libcudart.so.12") == "libcudart.so.12");
  image.soname = "libcudart.so.13";
  CHECK(shared_cuda_runtime(image, "libcudart.so.12") == "libcudart.so.13");
}

TEST_CASE("a file that exports the runtime's functions is one, and a user of them is not") {
  CudaRuntimeExports exports;
  for (const char* const name : {"cudaLaunchKernel", "cudaRuntimeGetVersion", "main"})
    exports.add(name);
  CHECK_FALSE(exports.complete());
  exports.add("__cudaRegisterFatBinary");
  CHECK(exports.complete());
}
