// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin::lto {

/// The command line of `hostpin lto-check`.
struct CheckOptions {
  std::string help; ///< the text of --help if requested
  bool json = false;
  bool warn = false;                ///< a mismatch is a warning, not an error
  bool before_link = false;         ///< by the launcher: the link follows
  std::vector<std::string> linker;  ///< arguments of --linker; empty: the environment's CXX, else c++
  std::string nvlink;               ///< empty: not named
  std::vector<std::string> inputs;  ///< files to judge
  std::vector<std::string> command; ///< after `--`; then there are no inputs
};

/// Parses the arguments after the program's name.
Result<CheckOptions> check_options(std::span<const char* const> arguments);

} // namespace hostpin::lto
