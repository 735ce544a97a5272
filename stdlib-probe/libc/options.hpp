// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin {

struct LibcOptions {
  std::string toolkit;                      ///< as for `gate`; empty when `toolkit_include` says it
  std::vector<std::string> toolkit_include; ///< its include directories
  std::optional<Version> release;
  std::vector<std::string> driver;  ///< and its flags
  std::vector<std::string> headers; ///< include directories in place of a driver
  std::string sysroot;              ///< whose usual include directories are meant
  bool clang = false;               ///< headers are read as Clang reads them
  std::optional<Version> compiler;  ///< whose macros headers see; default: a GCC of this century
  std::string target;
  bool json = false;
  std::string help; ///< the text of --help where that is asked for
};

/// An error for what makes no sense, with what to do.
Result<LibcOptions> libc_options(std::span<const char* const> arguments);

} // namespace hostpin
