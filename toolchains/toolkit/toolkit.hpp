// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/version.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// A CUDA toolkit as its own nvcc describes it.
struct Toolkit {
  std::string root;        ///< nvcc's TOP, normalised and with symlinks resolved
  std::string nvcc;        ///< the real nvcc: an absolute path that can be executed with argv[0] equal to it
  Version version;         ///< release and patch, such as 12.4.131 (`V12.4.131`)
  std::string origin;      ///< `--toolkit`, `$CUDA_HOME`, `PATH`, ...
  std::string host_config; ///< crt/host_config.h as nvcc's include path finds it; empty if there is none
  std::vector<std::string> include_directories; ///< nvcc's own, in order
  std::string profile_host;       ///< compiler-bindir set by its nvcc.profile; empty if there is none
  std::vector<std::string> files; ///< dependencies of this description, absolute paths
};

} // namespace hostpin
