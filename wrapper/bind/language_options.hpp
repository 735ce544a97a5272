// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace hostpin {

/// A driver's command without the options that say how its own sources are compiled (`-std=c++20`, `-O2`,
/// `-D`,
/// `-Wall`, `-fno-rtti`, `-march=`): what is left says which compiler, with which headers and libraries, for
/// which target. An option that is not known stays.
std::vector<std::string> without_language_options(const std::vector<std::string>& command);

} // namespace hostpin
