// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/judge/judge.hpp"

#include <string>

namespace hostpin {

/// `documented GCC 6-13, Clang 7-17`, or that nothing is documented.
std::string documented_text(const Acceptance& acceptance);

/// `enforced GCC up to 13, Clang 3.3-17`, as the toolkit's own header has it, or that it was not evaluated.
std::string enforced_text(const Acceptance& acceptance);

} // namespace hostpin
