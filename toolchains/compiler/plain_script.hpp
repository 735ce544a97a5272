// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The command of a shell script that only executes another program with the script's arguments appended:
/// comments, then `[NAME=value]... exec /program [word]... "$@"`, without any other word that the shell would
/// expand, except `$PATH` at the end of PATH. Nothing for every other script: its behaviour may depend on
/// anything.
std::optional<std::vector<std::string>> launched_by(std::string_view script);

} // namespace hostpin
