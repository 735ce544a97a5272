// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <string>
#include <vector>

namespace hostpin::bind {

/// Where programs search for the NVIDIA driver, by the toolkit that they are built with.
struct DriverOrder {
  std::vector<std::string> directories; ///< in order, for run paths; empty: where the loader searches anyway
  std::vector<std::string> notes;       ///< about what was left out, for the user
  std::vector<std::string> files;       ///< that this depends on
};

/// Reads the `origin.json` of a toolkit that `hostpin redist compose` made with --compat or --driver: its
/// compatibility libraries come first. Never a directory of stubs, or one that a run path cannot name. Empty
/// for every other toolkit.
DriverOrder driver_order(const std::string& toolkit_root, const Files& files);

} // namespace hostpin::bind
