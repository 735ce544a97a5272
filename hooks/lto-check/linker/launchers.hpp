// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The words that name a driver in the beginning of a command, programs that only start others included:
/// `g++`, `ccache g++`, `env A=b timeout 10 g++`. The last one is the driver itself. All of the command when
/// it names none behind such programs; never empty for a command that is not.
std::vector<std::string> driver_words(const std::vector<std::string>& command);

/// The same where the driver has told its name (GCC's COLLECT_GCC), which can stand behind any program.
std::vector<std::string> driver_words(const std::vector<std::string>& command, std::string_view told);

} // namespace hostpin
