// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/gpus/expansion.hpp"

#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// The GPU settings that a binding provides to builds. All are computed when the binding is made.
struct BoundCapabilities {
  std::string list; ///< as given; `--refresh` decides again from it
  bool forward_compatible = true;
  std::vector<std::pair<std::string, std::string>> variables; ///< environment variables, with their values
};

/// The variable with the same meaning as what a CMake toolchain file sets.
constexpr const char* cmake_architectures = "CUDAARCHS";

/// The variables of every kind of build that can express the expansion; `notes` lists those that cannot.
BoundCapabilities bound_capabilities(const std::string& list, bool forward_compatible,
                                     const GpuExpansion& expansion, const std::vector<Gpu>& gpus,
                                     std::vector<std::string>& notes);

} // namespace hostpin
