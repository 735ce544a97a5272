// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hostpin {

/// From here on the program ends with an error, exit code 2, where it would crash: conditions nest as deep as
/// their author likes, Clang reads them by recursion, and nothing in it bounds that.
void end_instead_of_crashing();

/// The same when it has used that many seconds of CPU time or more than a GB of memory: macros can be written
/// so that their expansion takes more of either than anybody has. Programs started later inherit the bound on
/// memory.
void end_after(unsigned seconds);

} // namespace hostpin
