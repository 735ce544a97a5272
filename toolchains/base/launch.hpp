// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/process.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The file to execute: a name with a slash as it is, another looked up on PATH, whose relative and empty
/// entries are not trusted; nothing when PATH has no such program.
std::optional<std::string> executable(const std::string& name, const Environment& environment);

/// The `NAME=value` block a command gets: the caller's without what it must not see, and in plain C.
std::vector<std::string> variables_for(const Command& command, const Environment& environment);

/// A descriptor from which the bytes can be read, or -1 and errno. It is a file without a name, so whatever
/// the reader does nobody waits for anybody, as a pipe would make them.
int open_input(const std::string& bytes);

} // namespace hostpin
