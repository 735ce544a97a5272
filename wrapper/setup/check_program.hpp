// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin::setup {

/// Builds a program of one .cu file with the nvcc of a bound toolchain in `work`, an existing directory, and
/// runs it. Returns what it did, as text: the host half always, the kernel on a GPU, or why not there. The
/// error has what nvcc or the program printed.
Result<std::string> run_check_program(const std::string& bound, const std::string& work,
                                      const Processes& processes);

} // namespace hostpin::setup
