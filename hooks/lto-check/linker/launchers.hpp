// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A command with what `env -S` gives in one word put in its place as words of their own, variables such as
/// ${CC} expanded: as `env` itself would do. A word with an open quote stays as it is.
std::vector<std::string> with_split_words(std::vector<std::string> command, const Environment& environment);

/// The words that name a driver in the beginning of a command, programs that only start others included:
/// `g++`, `ccache g++`, `env A=b timeout 10 g++`. The last one is the driver itself. All of the command when
/// it names none behind such programs; never empty for a command that is not.
std::vector<std::string> driver_words(const std::vector<std::string>& command);

/// The same where the driver has told its name (GCC's COLLECT_GCC), which can stand behind any program.
std::vector<std::string> driver_words(const std::vector<std::string>& command, std::string_view told);

} // namespace hostpin
