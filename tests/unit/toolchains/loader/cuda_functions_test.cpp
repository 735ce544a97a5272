// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/cuda_functions.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::loader;

TEST_CASE("functions of CUDA's libraries are known by the beginning of their names") {
  for (const auto& [symbol, prefix] :
       {std::pair{"cudaMalloc", "cuda"}, std::pair{"__cudaRegisterFatBinary", "__cuda"},
        std::pair{"cublasLtCreate", "cublas"}, std::pair{"nppiAdd_8u_C1R", "nppi"},
        std::pair{"ncclAllReduce", "nccl"}, std::pair{"__nvJitLinkCreate_13_0", "__nvJitLink"},
        std::pair{"cuFileRead", "cuFile"}, std::pair{"cuInit", ""}, std::pair{"nvmlInit_v2", ""},
        std::pair{"curl_easy_init", ""}, std::pair{"cuda_helper", ""}, std::pair{"cuda", ""}})
    CHECK_MESSAGE(cuda_prefix_of(symbol) == prefix, symbol);
  CHECK(is_function_of_driver("cuInit"));
  CHECK_FALSE(is_function_of_driver("cuFileRead"));
  CHECK_FALSE(is_function_of_driver("cudaMalloc"));
}

TEST_CASE("a function is lacked if no loaded file defines it and none elsewhere may") {
  CudaFunctions file, runtime;
  for (const char* name : {"cudaNew", "cudaMalloc", "cudaElsewhere", "puts"})
    file.add({name, false, false});
  file.add({"cudaWeak", false, true});
  runtime.add({"cudaMalloc", true, false});
  CHECK(runtime.defines_prefix("cuda"));
  CHECK_FALSE(runtime.defines_prefix("cublas"));
  const auto lacked = lacked_functions(
      file, {&file, &runtime}, [](const std::string& function) { return function == "cudaElsewhere"; });
  CHECK(lacked == std::vector<std::string>{"cudaNew"});
}

TEST_CASE("a name that no function of CUDA is as long as is not copied") {
  CudaFunctions file;
  const std::string longest = "cuda" + std::string(251, 'A');
  for (const std::string& name : {longest, longest + 'A'}) {
    file.add({name, true, false});
    file.add({name, false, false});
  }
  CHECK(file.defined == std::set<std::string, std::less<>>{longest});
  CHECK(file.needed == std::vector<std::string>{longest});
}

TEST_CASE("whether a library is there is known without a search through all functions") {
  CudaFunctions file;
  file.defined = {"cuda_init", "cudnnCreate", "npps_x", "nppiAdd"};
  for (int i = 0; i < 100'000; ++i)
    file.defined.insert("cublasA" + std::to_string(i));
  for (int i = 0; i < 100'000; ++i)
    for (const std::string_view absent : {"cuda", "npp", "npps", "nccl", "pnccl"})
      REQUIRE_FALSE(file.defines_prefix(absent));
  for (const std::string_view present : {"cublas", "cudnn", "nppi"})
    CHECK(file.defines_prefix(present));
}
