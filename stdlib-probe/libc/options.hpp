// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

struct LibcOptions {
  std::string toolkit;                      ///< as for `gate`; empty if `toolkit_include` is given
  std::vector<std::string> toolkit_include; ///< its include directories
  std::optional<Version> release;
  std::vector<std::string> driver;  ///< and its flags
  std::vector<std::string> headers; ///< include directories in place of a driver
  std::string sysroot;              ///< a root whose usual include directories are read
  bool clang = false;               ///< headers are read as by Clang
  std::optional<Version> compiler;  ///< whose macros headers see; default: a recent GCC
  std::string target;
  bool json = false;
  std::string help; ///< the text of --help if requested
};

/// An error if options are missing or contradict each other.
Result<LibcOptions> libc_options(std::span<const char* const> arguments);

} // namespace hostpin::probe
