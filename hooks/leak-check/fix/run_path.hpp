// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/fix/copy.hpp"
#include "hooks/leak-check/fix/fix.hpp"
#include "toolchains/base/files.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin::leak {

/// A RUNPATH or RPATH without the entries that findings of one file object to, if the right entry is certain:
/// an unwanted directory, one of the build or of stubs, and one relative to the current directory are
/// removed; one that names a file becomes that file's directory if it exists; the directory of cuda_compat
/// goes first; the driver's is added last, as is that of a library of the tree which the loader does not
/// find, relative to the directory of `file`. Other entries keep their spelling and order, even if they do
/// not exist here. Nothing if there is nothing to fix, or a finding names an entry that is not in the list.
/// `list` is also empty for a file that has none.
///
/// `instead` replaces the first unwanted directory, unless it is empty or among the entries.
///
/// Whether the result still leads to every library is not known here.
std::optional<std::string> fixed_run_path(const std::string& list, std::span<const Finding* const> findings,
                                          const Files& files, const std::string& file,
                                          const std::string& instead = {});

/// The names in the dynamic symbol table of an ELF file, in its order. Nothing if the section table is
/// missing or damaged.
std::optional<std::vector<std::string>> dynamic_symbols(const std::string& file);

/// Removes what findings object to from a file's run path, by patchelf on a copy. The copy replaces the file
/// only if nothing but the run path differs for the loader, and every library and version that was found
/// before still is. Nothing if no finding can be fixed; an error says why the file was not changed. The
/// caller sets `Fixed::path`.
Result<std::optional<Fixed>> fix_run_path(const FixPlace& place, const std::vector<const Finding*>& findings,
                                          const World& world, const Processes& processes);

} // namespace hostpin::leak
