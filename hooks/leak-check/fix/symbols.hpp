// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The names in the dynamic symbol table of an ELF file, in its order. Nothing when it has no section table,
/// or one that is damaged.
std::optional<std::vector<std::string>> dynamic_symbols(const std::string& file);

} // namespace hostpin
