// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <string>

namespace hostpin::setup {

/// Compiles a C++17 program with exceptions, threads and functions of libm, links it by the compiler itself
/// and by `linker_driver` if that is another (the stdenv's, as with a pin), and runs what was linked. `work`
/// is an existing directory; the files of the trial are removed from it. The error has what the tools
/// printed.
Result<void> try_compiler(const Context& context, const std::string& driver, const std::string& linker_driver,
                          const std::string& work);

} // namespace hostpin::setup
