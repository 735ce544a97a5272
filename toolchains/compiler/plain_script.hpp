// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The command of a shell script that does nothing but become another program with its own arguments behind:
/// comments, then `[NAME=value]... exec /program [word]... "$@"`, without any other word that the shell would
/// change, but for `$PATH` at the end of PATH. Nothing for every other script: what it does may depend on
/// anything.
std::optional<std::vector<std::string>> launched_by(std::string_view script);

} // namespace hostpin
