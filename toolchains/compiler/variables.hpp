// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// `NAME=value` of each variable that compilers, their linkers and compiler launchers read, except those that
/// are `hidden` from them: part of the key under which their answers are cached.
std::vector<std::string> relevant_variables(const Environment& environment,
                                            std::span<const std::string> hidden = {});

} // namespace hostpin
