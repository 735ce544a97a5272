// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/real_driver.hpp"

#include <string>
#include <string_view>
#include <vector>

// What drivers print about themselves with -v, and which files they would read if those existed.

namespace hostpin {

/// The rest of each line that starts with `marker`.
std::vector<std::string> said(const Lines& lines, std::string_view marker);

/// True if the -v output comes from `driver` itself: GCC's driver prints the name it was called by, Clang's
/// its directory. A wrapper of that name prints neither.
bool is_driver_itself(const Lines& lines, const RealDriver& driver, Family family, const Files& files);

/// The specs files that GCC's driver looks for in each directory of LIBRARY_PATH, relative to it.
std::vector<std::string> specs_names(const Compiler& compiler);

/// GCC's driver reads a file named specs where it looks for start files: the paths of these, existing or not.
std::vector<std::string> specs_files(const Lines& lines, const Compiler& compiler);

/// Clang's driver reads configuration files next to it and in directories that it prints, which are named
/// after the target or the driver: the paths of these, existing or not.
std::vector<std::string> configuration_files(const Lines& lines, const RealDriver& driver);

/// The directory of Clang's configuration files that depends on the calling user; empty if there is none.
std::string user_configuration(const Lines& lines);

} // namespace hostpin
