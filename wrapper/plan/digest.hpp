// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/plan/plan.hpp"

#include <string>

namespace hostpin {

/// 32 hexadecimal digits for what decides an object: who compiles and how, under which rules, and the states
/// of the files behind it. The same on two machines that hold the same toolchain, so without places (`home`,
/// `hostpin`), without what a processor looks for (`loader*`), and without the record of nvcc's question.
std::string decision_digest(Plan plan);

} // namespace hostpin
