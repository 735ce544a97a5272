// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/plan/plan.hpp"

#include <string>

namespace hostpin {

/// 32 hexadecimal digits over what determines an object: compilers and their arguments, rules, and the states
/// of the dependencies. The same on two machines with the same toolchain, so without locations (`home`,
/// `hostpin`), what the loader searches per processor (`loader*`), and the record of nvcc's query.
std::string decision_digest(Plan plan);

} // namespace hostpin
