// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hostpin {

/// Ends the program with an error, exit code 2, when it has used that many seconds of CPU time: macros can be
/// written so that expanding them takes longer than anybody waits, and nothing in Clang bounds that.
void end_after(unsigned seconds);

} // namespace hostpin
