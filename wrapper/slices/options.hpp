// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"

#include <optional>
#include <string>

namespace hostpin::slices {

/// How to run nvcc itself instead of tasks.
struct Plain {
  std::string note; ///< why, for the user; empty if there is nothing to report
};

/// What a call's own options mean for its tasks.
struct Options {
  std::optional<Plain> plain;                     ///< the call cannot be cut into tasks
  bool system_headers = true;                     ///< -MD, not -MMD
  bool phony_targets = false;                     ///< -MP
  std::optional<std::string> dependency_target{}; ///< -MT
};

/// Reads the options of a call, including those in files and in the environment.
Options options_of(const cmdline::NvccCommand& command);

} // namespace hostpin::slices
