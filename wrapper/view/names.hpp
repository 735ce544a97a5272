// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

// Prefixes of the names that belong to CUDA in a directory such as /usr/include, as the packages of Debian,
// Ubuntu and NVIDIA for CUDA 11 to 13 have them. A `.` or `_` at the end of a prefix keeps longer names out;
// the others begin no other package's name.

namespace hostpin {

constexpr auto toolkit_headers = std::to_array<std::string_view>({"builtin_types.h",
                                                                  "cccl",
                                                                  "channel_descriptor.h",
                                                                  "common_functions.h",
                                                                  "cooperative_groups",
                                                                  "crt",
                                                                  "cuComplex.h",
                                                                  "cub",
                                                                  "cublas",
                                                                  "cuda",
                                                                  "cudnn",
                                                                  "cufft",
                                                                  "cufile",
                                                                  "cupti",
                                                                  "curand",
                                                                  "cusolver",
                                                                  "cusparse",
                                                                  "device_atomic_",
                                                                  "device_double_",
                                                                  "device_functions.h",
                                                                  "device_launch_",
                                                                  "device_types.h",
                                                                  "driver_functions.h",
                                                                  "driver_types.h",
                                                                  "fatbinary",
                                                                  "generated_cuda",
                                                                  "generated_nvtx",
                                                                  "host_config.h",
                                                                  "host_defines.h",
                                                                  "library_types.h",
                                                                  "math_constants.h",
                                                                  "math_functions.h",
                                                                  "mma.h",
                                                                  "nccl",
                                                                  "npp",
                                                                  "nv_decode.h",
                                                                  "nvFatbin.h",
                                                                  "nvJitLink.h",
                                                                  "nvPTXCompiler.h",
                                                                  "nvToolsExt",
                                                                  "nvblas.h",
                                                                  "nvfunctional",
                                                                  "nvjpeg",
                                                                  "nvml.h",
                                                                  "nvperf",
                                                                  "nvrtc.h",
                                                                  "nvtx3",
                                                                  "nvvm.h",
                                                                  "sm_",
                                                                  "surface_",
                                                                  "texture_",
                                                                  "thrust",
                                                                  "vector_functions.h",
                                                                  "vector_types.h"});

/// A directory that is called exactly `nv`; as a prefix it would match far too much.
constexpr std::string_view toolkit_header_directory = "nv";

constexpr auto toolkit_libraries = std::to_array<std::string_view>(
    {"libaccinj",        "libcheckpoint.", "libcublas",   "libcudadevrt.", "libcudart",        "libcudnn",
     "libcufft",         "libcufile",      "libcufilt.",  "libcuinj",      "libculibos",       "libcupti",
     "libcurand",        "libcusolver",    "libcusparse", "libnccl",       "libnpp",           "libnvJitLink",
     "libnvToolsExt",    "libnvblas",      "libnvfatbin", "libnvgraph",    "libnvjpeg",        "libnvperf",
     "libnvptxcompiler", "libnvrtc",       "libnvtx3",    "libnvvm.",      "libpcsamplingutil"});

constexpr auto toolkit_programs = std::to_array<std::string_view>(
    {"__nvcc_device_query", "bin2c", "compute-sanitizer", "crt", "cu++filt", "cuda-gdb", "cuda-memcheck",
     "cudafe++", "cuobjdump", "fatbinary", "ncu", "nsys", "nvcc.profile", "nvdisasm", "nvlink", "nvprof",
     "nvprune", "ptxas"});

/// Compilers next to an nvcc (Debian, conda): a directory that is put on PATH must not contain them.
constexpr auto foreign_compilers = std::to_array<std::string_view>(
    {"c++", "c89", "c99", "cc", "clang", "clang++", "cpp", "g++", "gcc", "ld", "nvcc"});

inline bool begins_like_one(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

inline bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace hostpin
