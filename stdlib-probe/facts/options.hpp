// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

/// The command line of `facts`.
struct FactsOptions {
  std::string help; ///< the text of --help if requested
  bool json = false;
  bool all = false;
  std::string driver;               ///< the compiler to run; empty: none
  std::string sysroot;              ///< of headers without a compiler
  std::vector<std::string> headers; ///< directories of headers
  std::string target;               ///< of headers; empty: the target of what is found
  std::string gcc;                  ///< of several GCC installations in a sysroot, the one of this version
  std::vector<std::string> flags;   ///< for the driver, or for the preprocessor
};

/// Options come before DRIVER; the arguments after it are the driver's. With --sysroot and --headers, flags
/// come after `--`.
Result<FactsOptions> facts_options(std::span<const char* const> arguments);

} // namespace hostpin::probe
