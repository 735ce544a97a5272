// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Releases of a distribution with libraries that extension modules are linked with, and that requires
/// NVIDIA's distributions of CUDA: PyTorch.
struct CudaPackage {
  std::string distribution;           ///< normalised
  std::vector<Version> releases;      ///< that are alike, ascending
  int cuda = 0;                       ///< CUDA's major release that it brings
  std::string directory;              ///< of its libraries, below site-packages: `torch/lib`
  std::vector<std::string> libraries; ///< sonames
  std::vector<std::string> imported;  ///< libraries that an import of the package loads
  /// NEEDED of its libraries, without the system's libraries.
  std::map<std::string, std::vector<std::string>> needed;
  /// Of NVIDIA's distributions, as in METADATA, without markers. The run paths of its libraries lead to
  /// these.
  std::vector<std::string> requirements;
  std::string source;

  bool has(std::string_view soname) const;
};

/// Reads `directory`/cuda-packages.toml. Errors carry `file:line:column`.
Result<std::vector<CudaPackage>> load_cuda_packages(const Files& files, const std::string& directory);

/// The newest releases that install a library of that soname; null if there are none.
const CudaPackage* package_with(const std::vector<CudaPackage>& packages, std::string_view soname);

} // namespace hostpin
