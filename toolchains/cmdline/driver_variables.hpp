// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace hostpin::cmdline {

/// Whether compiler drivers, or wrappers around them, read an environment variable: it may change which
/// compiler runs, or what a driver adds to its commands. Variables that name directories of headers, such as
/// CPATH, are not among them: the compiler itself reads them on each call.
bool is_read_by_drivers(std::string_view name);

/// The variables that select the C++ compiler of a wrapper.
std::span<const std::string_view> compiler_variables();

} // namespace hostpin::cmdline
