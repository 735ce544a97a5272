// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "real.hpp"

#include <string>
#include <vector>

// Calls of nvcc such as builds make them. They run where write_sources() has put its files.

namespace hostpin::e2e {

struct CommandLine {
  std::vector<std::string> arguments;
  Variables variables = {};
};

std::string shown(const CommandLine& line);

void write_sources(const Scratch& scratch);

/// The calls of CMake, PyTorch's cpp_extension, Kokkos and the CUDA samples; none names a host compiler.
std::vector<CommandLine> build_system_calls();

/// Each spelling of each option that does not name a host compiler, alone with an input, under --dryrun.
std::vector<CommandLine> single_option_calls();

/// Several options at once, under --dryrun; the same for the same seed.
CommandLine random_call(unsigned seed);

/// Calls that really compile, link, run or fail to.
std::vector<CommandLine> real_calls();

} // namespace hostpin::e2e
