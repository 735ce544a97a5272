// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// `NAME=value` of each variable that compilers, their linkers and the launchers around them look at, but for
/// those that are `hidden` from them: for who remembers what they answered under these circumstances.
std::vector<std::string> relevant_variables(const Environment& environment,
                                            std::span<const std::string> hidden = {});

} // namespace hostpin
