// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/fix/fix.hpp"
#include "hooks/leak-check/fix/place.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The names in the dynamic symbol table of an ELF file, in its order. Nothing when it has no section table,
/// or one that is damaged.
std::optional<std::vector<std::string>> dynamic_symbols(const std::string& file);

/// Takes out of a file's run path what findings object to, with patchelf on a copy beside it. That one takes
/// the file's place only when nothing but the run path differs for the loader, and every library and version
/// that was found before still is. Nothing when no finding is one that can be mended; an error says why it
/// was left. `Fixed::path` is the caller's.
Result<std::optional<Fixed>> fix_run_path(const FixPlace& place, const std::vector<const Finding*>& findings,
                                          const World& world, const Processes& processes);

} // namespace hostpin
