// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/table/table.hpp"
#include "toolchains/table/toml.hpp"

#include <optional>

namespace hostpin {

/// Each parses one data file, adds its rows to the table, and returns what is wrong with the file, if
/// anything.
std::optional<Error> take_ranges(TomlReader& document, Table& table);
std::optional<Error> take_exceptions(TomlReader& document, Table& table);
std::optional<Error> take_packages(TomlReader& document, Table& table);

} // namespace hostpin
