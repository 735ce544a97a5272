// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace hostpin {

/// The file that a call of the host compiler has preprocessed when it is nvcc asking who that is: exactly
/// `-E /path/name.cpp`, with a name that every compiler repeats as it is. Empty for every other call. Ends
/// before a NUL, as the argument does.
std::string_view asked_file(std::span<const char* const> arguments);

/// Whether compilers print the name of a file that they are given as it stands: absolute, without quotes,
/// backslashes and what is no printable ASCII, which they escape.
bool is_repeated_as_it_is(std::string_view name);

} // namespace hostpin
