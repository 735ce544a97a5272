// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// What `facts` is asked.
struct FactsOptions {
  std::string help; ///< the text of --help where that is asked for
  bool json = false;
  bool all = false;
  std::string driver;               ///< empty unless a compiler is asked
  std::string sysroot;              ///< of headers without a compiler
  std::vector<std::string> headers; ///< directories of headers
  std::string target;               ///< of headers; empty: that of what is found
  std::string gcc;                  ///< of several GCC installations in a sysroot, the one of this version
  std::vector<std::string> flags;   ///< for the driver, or for the preprocessor
};

/// Options stand before DRIVER; what is behind it belongs to the driver. With --sysroot and --headers, flags
/// stand behind `--`.
Result<FactsOptions> facts_options(std::span<const char* const> arguments);

extern const char* const facts_usage;

} // namespace hostpin
