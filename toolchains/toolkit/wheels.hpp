// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/version.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// One of the wheels that make a compiler.
struct CompilerWheel {
  std::string_view distribution; ///< `nvidia-cuda-nvcc`
  std::string_view extra;        ///< of the metapackage cuda-toolkit, which requires it
  bool has_release = true;       ///< its version begins with the CUDA release: 13.3
};

/// nvcc first, then what it needs to build programs, CCCL and NVRTC.
std::span<const CompilerWheel> compiler_wheels();

/// The root of the toolkit in a directory into which those wheels of CUDA 13 or newer are installed.
std::string root_of_wheels(const std::string& site, int major);

/// The root of a toolkit that NVIDIA's wheels for CUDA 13 and later make: `site-packages/nvidia/cu13`.
bool is_made_of_wheels(const std::string& root);

/// Why a program cannot be built with the wheels that are installed there: every part that is missing, and
/// every wheel of another release than the runtime's; with the one command that changes that. Nothing for
/// other toolkits. `release`: nvcc's own.
std::optional<std::string> lack_of_wheels(const std::string& root, const Version& release,
                                          const Files& files);

/// What a directory without an nvcc is, if NVIDIA's wheels are installed in it or around it, and what to do:
/// `site-packages`, `nvidia` in it, a virtual environment, a part of the wheels for CUDA 12. Otherwise empty.
std::string wheels_without_nvcc(const std::string& directory, const Files& files);

/// The directory of libraries of a toolkit of wheels, in which links and tools find only some: it is `lib`,
/// and the nvcc.profile before CUDA 13.2 and many tools name `lib64`; `libcudart.so.13` has no
/// `libcudart.so`; and nvlink looks for libnvvm.so in `nvvm/lib64`. So its nvcc is called in a tree of links.
/// Empty for other toolkits.
std::string wheel_libraries(const std::string& root, const Files& files);

/// The libraries of the NVIDIA driver that the headers of a toolkit of wheels declare, and that it has no
/// stub of for links: `libcuda.so`.
std::vector<std::string> lacking_stubs(const std::string& root, const Files& files);

/// Those stubs: names and bytes. They have the functions that the headers declare. None for a machine that
/// stubs cannot be written for.
std::map<std::string, std::string> driver_stubs(const std::string& root, const Files& files);

} // namespace hostpin
