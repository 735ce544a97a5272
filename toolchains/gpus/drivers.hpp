// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::gpus {

/// One row of drivers.toml: the NVIDIA drivers from this version to the next row's.
struct Driver {
  Version version;      ///< such as 580.65.6
  Version cuda;         ///< the CUDA release that it came with
  Version ptx;          ///< the newest PTX ISA version that it compiles
  bool zstd = false;    ///< decompresses zstd; all decompress LZ4
  bool bundles = false; ///< reads the bundles that `nvcc --concat` writes
  std::string source;
};

/// Reads drivers.toml of `directory`: rows ascend, in each of the three versions. Errors carry
/// `file:line:column`.
Result<std::vector<Driver>> load_drivers(const Files& files, const std::string& directory);

/// The row for `580.65.06`, the version of a driver, or `13.0`, the CUDA release that nvidia-smi prints for
/// it. What is newer than the last row is taken as that row. The error is for what is neither, or older than
/// all.
Result<Driver> driver_named(const std::vector<Driver>& drivers, std::string_view name);

} // namespace hostpin::gpus
