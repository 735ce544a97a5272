// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hostpin {

/// The static executable as stamped for one binding. Caches identify a compiler by its bytes (sccache) or by
/// size and time (ccache), and would take every binding's nvcc as the same one; so all three depend on the
/// decision, and on nothing else: the same decision in another directory or at another time is the same
/// compiler.
struct Sealed {
  std::string content;       ///< the executable, then a line with the digest, then padding
  std::int64_t modified = 0; ///< nanoseconds since the epoch; between 2000 and 2016
};

/// `plan`: the bytes that write_plan made.
Sealed sealed(std::string executable, std::string_view plan);

} // namespace hostpin
