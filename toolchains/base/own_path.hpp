// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hostpin {

/// The running executable with symlinks resolved, also without /proc; empty if the system does not provide
/// it.
std::string own_path();

} // namespace hostpin
