// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"

#include <string>

namespace hostpin {

/// What finding out about a link needs of the world.
struct LinkTools {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  std::string cache;     ///< directory in which answers are remembered; empty: none
  std::string directory; ///< the current one, which relative paths of a command rest on
};

} // namespace hostpin
