// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hostpin {

/// A toolkit that `hostpin redist compose` made.
struct ComposedToolkit {
  std::string description;              ///< `composed from cuda 12.4.1 (linux-x86_64) of redist.lock`
  std::vector<std::string> driver_path; ///< where the loader has to search for the NVIDIA driver, in order
};

/// Its `origin.json`, below the root.
inline constexpr const char* origin_file = "origin.json";

/// That description. `releases`: products with their labels, such as `cuda 12.4.1`.
std::string composed_from(const std::set<std::string>& releases, const std::vector<std::string>& targets,
                          const std::string& lock);

/// That search path: the compatibility libraries of the root, if it has them, and the directory of the
/// driver's libraries, if one was named. Never stubs.
std::vector<std::string> driver_path(const std::string& root, bool compat, const std::string& driver);

/// What a toolkit was composed from; nothing if it was not composed. The error names the file that cannot be
/// read. Only what is used here is checked: `hostpin redist check` reads all of it.
Result<std::optional<ComposedToolkit>> composed_toolkit(const std::string& root, const Files& files);

} // namespace hostpin
