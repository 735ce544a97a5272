// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/pack/contents.hpp"

namespace hostpin::pack {

/// The driver, its front ends and other programs, its headers and the C library's, start files and libraries.
Result<void> add_compiler(Contents& contents, const Compiler& compiler, const Machine& machine);

/// nvcc with the programs it runs, headers, and the libraries that a link uses by default.
Result<void> add_toolkit(Contents& contents, const Toolkit& toolkit, const Compiler& host,
                         const Machine& machine);

/// For every program and shared library among the contents, the loader and all libraries that it would load;
/// for every script, its interpreter. `target`: normalised triple.
void add_what_they_load(Contents& contents, const std::string& target, const Machine& machine);

} // namespace hostpin::pack
