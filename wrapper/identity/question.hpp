// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace hostpin {

/// The file that the host compiler is called to preprocess, if the call is nvcc's identity query: exactly `-E
/// /path/name.cpp`, with a name that every compiler prints unchanged. Empty for every other call. A NUL
/// follows it, as in the argument.
std::string_view asked_file(std::span<const char* const> arguments);

/// Whether compilers print the name of an input file unchanged: it is absolute, and has no quotes,
/// backslashes or characters other than printable ASCII, which they escape.
bool is_repeated_as_it_is(std::string_view name);

} // namespace hostpin
