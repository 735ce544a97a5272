// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/real_driver.hpp"

#include <string>
#include <string_view>
#include <vector>

// What drivers say of themselves with -v, and which files that are not there they would obey.

namespace hostpin {

/// The texts behind a marker at the beginning of lines.
std::vector<std::string> said(const Lines& lines, std::string_view marker);

/// GCC's driver says what it was called, Clang's where it lies: a program of that name that only starts
/// another one says nothing of its own.
bool is_driver_itself(const Lines& lines, const RealDriver& driver, Family family, const Files& files);

/// What GCC's driver looks for in each directory of LIBRARY_PATH, from there.
std::vector<std::string> specs_names(const Compiler& compiler);

/// GCC's driver obeys a file named specs where it looks for start files: where these are, or would be.
std::vector<std::string> specs_files(const Lines& lines, const Compiler& compiler);

/// Clang's driver obeys configuration files beside it and in directories that it names, which are named after
/// the target or itself: where these are, or would be.
std::vector<std::string> configuration_files(const Lines& lines, const RealDriver& driver);

/// That directory of Clang's configuration files that depends on who calls it; empty for one that has none.
std::string user_configuration(const Lines& lines);

} // namespace hostpin
