// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hostpin {

/// The symbol as in the source code; a symbol that is not mangled is returned unchanged.
std::string demangled(const std::string& symbol);

} // namespace hostpin
