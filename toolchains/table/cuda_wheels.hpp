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

/// One of NVIDIA's distributions of CUDA libraries on PyPI.
struct CudaWheel {
  int cuda = 0;                       ///< CUDA's major release that it is for
  std::string distribution;           ///< `nvidia-cublas-cu12`
  std::string directory;              ///< of its libraries, below site-packages: `nvidia/cublas/lib`
  std::vector<std::string> libraries; ///< sonames
  /// Of libraries that these open by name and find only if something else leads there; without their
  /// versions.
  std::vector<std::string> opened;
  std::string extra; ///< of cuda-toolkit, which requires it; empty: none does
  /// The major of the versions that have these libraries; 0 if the name of the distribution has the CUDA
  /// major.
  int major = 0;
  Version glibc; ///< that its wheels need, by their platform tag; 0: not known
  /// Of functions that not all versions of the major have: the first version that has them.
  std::map<std::string, Version, std::less<>> first_versions;
  std::string source;

  bool has(std::string_view soname) const;
  /// The first version that has a function; 0.0 if each version of the major does, or that is not known. The
  /// names for streams of each thread (`_ptsz`) name the same functions.
  Version first_version_with(std::string_view function) const;
};

/// Reads `directory`/cuda-wheels.toml. Errors carry `file:line:column`.
Result<std::vector<CudaWheel>> load_cuda_wheels(const Files& files, const std::string& directory);

/// The distributions that install a library of that soname, in the order of the file.
std::vector<const CudaWheel*> wheels_with(const std::vector<CudaWheel>& wheels, std::string_view soname);

/// The row of a normalised name of a distribution; null if there is none.
const CudaWheel* cuda_wheel_named(const std::vector<CudaWheel>& wheels, std::string_view distribution);

} // namespace hostpin
