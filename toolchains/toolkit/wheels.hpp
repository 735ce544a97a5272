// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/version.hpp"

#include <optional>
#include <string>

namespace hostpin {

/// The root of a toolkit that NVIDIA's wheels for CUDA 13 and later make: `site-packages/nvidia/cu13`.
bool is_made_of_wheels(const std::string& root);

/// Why a program cannot be built with the wheels that are installed there: a part whose wheel is not, or
/// wheels of different releases; with the command that installs what is missing. Nothing for other toolkits.
std::optional<std::string> lack_of_wheels(const std::string& root, const Version& release,
                                          const Files& files);

/// The directory of libraries of a toolkit whose nvcc searches another one: wheels have `lib`, and an
/// nvcc.profile that names `lib64`. Empty for other toolkits. Such an nvcc links only in a tree of links.
std::string unsearched_libraries(const std::string& root, const Files& files);

} // namespace hostpin
