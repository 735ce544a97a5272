// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hostpin {

/// From here on the program ends with an error, exit code 2, where it would crash or take more than a GB of
/// memory: conditions nest and macros multiply as their author likes, Clang reads them by recursion, and
/// nothing in it bounds either.
void end_instead_of_crashing();

} // namespace hostpin
