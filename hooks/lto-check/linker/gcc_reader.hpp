// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/linker.hpp"

namespace hostpin {

/// The version of bytecode that the lto1 of a GCC takes. No file names it: GCC is made to write an empty
/// object once, and the answer is cached until lto1 changes. An error if `driver` is empty.
Result<GccReader> learn_gcc_reader(const std::vector<std::string>& driver, const std::string& lto_wrapper,
                                   const LinkTools& tools);

} // namespace hostpin
