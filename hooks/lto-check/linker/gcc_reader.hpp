// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/linker.hpp"

namespace hostpin {

/// The bytecode that the lto1 of a GCC takes. No file says so: GCC is made to write an empty object once, and
/// that is remembered until lto1 changes. `driver` without words means the compiler beside `lto_wrapper`.
Result<GccReader> learn_gcc_reader(const std::vector<std::string>& driver, const std::string& lto_wrapper,
                                   const LinkTools& tools);

} // namespace hostpin
