// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/identity/identity.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Which environment variables could change a compiler's answer.

namespace hostpin {

/// The first variable of a `NAME=value` array under which the compiler's answer may differ from the record;
/// empty if there is none. LIBRARY_PATH is handled separately (`specs_files`).
std::string_view disturbing_variable(const Identity& identity, const char* const* envp);

/// The same for one variable.
bool disturbs(const Identity& identity, std::string_view name, std::string_view value);

/// Where GCC's driver would search for its specs because of LIBRARY_PATH, each a C string: if one of them
/// exists, the answer may differ. Nothing if a directory is relative, because the result is then unknown.
std::optional<std::vector<std::string>> specs_files(const Identity& identity, std::string_view library_path);

} // namespace hostpin
