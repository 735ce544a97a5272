// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"

namespace hostpin {

/// Says why what headers do not tell is null.
void explain_headers(Facts& facts);

} // namespace hostpin
