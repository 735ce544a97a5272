// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/process.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The file to execute: a name with a slash unchanged, any other looked up on PATH, whose relative and empty
/// entries are ignored; nothing if PATH has no such program.
std::optional<std::string> executable(const std::string& name, const Environment& environment);

/// The `NAME=value` block of a command: the caller's, without the variables in `unset`, and with LC_ALL=C.
std::vector<std::string> variables_for(const Command& command, const Environment& environment);

/// A descriptor from which the bytes can be read, or -1 with errno set. It is an unnamed file: unlike with a
/// pipe, writer and reader never wait for each other.
int open_input(const std::string& bytes);

} // namespace hostpin
