// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hostpin::probe {

/// From now on the program ends with an error, exit code 2, instead of a crash: conditions in headers can
/// nest arbitrarily deep, and Clang reads them by unbounded recursion.
void end_instead_of_crashing();

/// The same once it has used that many seconds of CPU time or more than 1 GB of memory: macros can be written
/// so that their expansion never ends or exhausts memory. Programs started later inherit the memory
/// limit.
void end_after(unsigned seconds);

} // namespace hostpin::probe
