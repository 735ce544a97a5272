// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::cmdline {

/// A command with the argument of `env -S` split into several, and variables such as ${CC} expanded, as `env`
/// does. An argument with an open quote is not changed.
std::vector<std::string> with_split_words(std::vector<std::string> command, const Environment& environment);

/// The index of the first argument after programs that only start others, such as ccache, env and timeout,
/// and after their own options; the number of arguments if there is none.
std::size_t driver_position(std::span<const std::string> command);

/// The arguments that name a compiler driver at the beginning of a command, including programs that only
/// start others: `g++`, `ccache g++`, `env A=b timeout 10 g++`. The last one is the compiler driver itself.
/// The whole command if it names none after such programs; empty only for an empty command.
std::vector<std::string> driver_words(const std::vector<std::string>& command);

/// The same if the compiler driver reported its name (GCC's COLLECT_GCC), which can come after any program.
std::vector<std::string> driver_words(const std::vector<std::string>& command, std::string_view reported);

} // namespace hostpin::cmdline
