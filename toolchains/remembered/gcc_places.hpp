// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/compiler/driver_output.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// Directories in which Clang's driver looks for the newest GCC installation and its headers, existing or
/// not: one of them changes if another one is installed or removed.
std::vector<std::string> gcc_places(const Lines& lines, const std::vector<std::string>& driver,
                                    const Compiler& compiler, const Files& files);

/// Directories in which drivers look for libraries and start files, from a driver's answer to the probe.
std::vector<std::string> library_places(const Outcome& probe);

/// The files and directories that a driver names when it prints or runs a link, or prints a file's path.
std::vector<std::string> shown_files(const Outcome& outcome);

} // namespace hostpin
