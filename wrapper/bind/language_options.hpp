// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace hostpin::bind {

/// A driver's command without the options for compiling its own sources (`-std=c++20`, `-O2`, `-D`, `-Wall`,
/// `-fno-rtti`, `-march=`): what is left determines the compiler, its headers and libraries, and the target.
/// An unknown option stays.
std::vector<std::string> without_language_options(const std::vector<std::string>& command);

} // namespace hostpin::bind
