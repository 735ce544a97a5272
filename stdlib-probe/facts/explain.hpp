// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"

namespace hostpin {

/// Adds the reasons for members that are null because headers do not define them.
void explain_headers(Facts& facts);

} // namespace hostpin
