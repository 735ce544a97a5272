// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/fix/fix.hpp"
#include "hooks/leak-check/fix/place.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The names in the dynamic symbol table of an ELF file, in its order. Nothing if the section table is
/// missing or damaged.
std::optional<std::vector<std::string>> dynamic_symbols(const std::string& file);

/// Removes what findings object to from a file's run path, by patchelf on a copy. The copy replaces the file
/// only if nothing but the run path differs for the loader, and every library and version that was found
/// before still is. Nothing if no finding can be fixed; an error says why the file was not changed. The
/// caller sets `Fixed::path`.
Result<std::optional<Fixed>> fix_run_path(const FixPlace& place, const std::vector<const Finding*>& findings,
                                          const World& world, const Processes& processes);

} // namespace hostpin
