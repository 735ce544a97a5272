// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"

#include <string>

namespace hostpin {

/// What determining a link needs of the system.
struct LinkTools {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  std::string cache;     ///< directory of cached answers; empty: none
  std::string directory; ///< the current one, for relative paths of a command
};

} // namespace hostpin
