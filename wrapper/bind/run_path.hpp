// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/survey/request.hpp"
#include "toolchains/toolkit/toolkit.hpp"

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

/// The directories of a request's `run_path`, each once: `toolkit` is that of the toolkit's shared libraries.
/// An error for what the loader does not take as a directory: relative paths, variables but $ORIGIN at the
/// start, stubs; and for `toolkit` where programs cannot have it.
Result<std::vector<std::string>> run_path(const Request& request, const Toolkit& toolkit, const Files& files);

/// Whether an option of CMake's can name that directory: it is an entry of -Wl, and of a list, and CMake
/// would escape or expand other characters.
bool is_for_cmake(const std::string& directory);

} // namespace hostpin::bind
