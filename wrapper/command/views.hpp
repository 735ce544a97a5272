// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// A toolkit view that an environment variable leads builds to.
struct KnownView {
  std::string directory;
  std::string origin;  ///< `$CUDA_HOME`, `PATH`, ...
  std::string toolkit; ///< `CUDA 12.4.131 (/usr/local/cuda-12.4)`; empty if unknown
  std::string problem; ///< why it has to be refreshed, as text; empty: it matches its toolkit
};

/// Each view once, with the first variable that names it.
std::vector<KnownView> known_views(const Environment& environment, const Files& files,
                                   const std::vector<Toolkit>& toolkits);

} // namespace hostpin
