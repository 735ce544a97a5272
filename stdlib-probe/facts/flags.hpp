// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// The flags of a compile command without those that name outputs, choose what is made, or write files
/// besides: they say nothing of the libraries, and asking must write nothing.
std::vector<std::string> asking_flags(std::span<const std::string> flags);

} // namespace hostpin
