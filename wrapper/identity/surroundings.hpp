// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/identity/identity.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What in the environment could change what a compiler answers.

namespace hostpin {

/// The first variable of a `NAME=value` array under which the compiler may answer otherwise than recorded;
/// empty when there is none. LIBRARY_PATH is another matter (`specs_files`).
std::string_view disturbing_variable(const Identity& identity, const char* const* envp);

/// The same of one variable.
bool disturbs(const Identity& identity, std::string_view name, std::string_view value);

/// Where GCC's driver would look for its specs because of LIBRARY_PATH, each a C string: with one of them
/// there, it may answer otherwise. Nothing when a directory is relative, for then nobody can tell.
std::optional<std::vector<std::string>> specs_files(const Identity& identity, std::string_view library_path);

} // namespace hostpin
