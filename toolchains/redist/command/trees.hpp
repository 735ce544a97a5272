// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/command/commands.hpp"
#include "toolchains/redist/tree/layout.hpp"

#include <string>

namespace hostpin::redist {

bool is_in_store(const std::string& store, const LockedArchive& archive);

/// The tree of an archive in a store, with the digests of its members, as for `planned_root`.
Result<ArchiveTree> archive_tree(const std::string& store, const LockedArchive& archive, bool verify);

/// Lays out the archives of a lock that are in a store. The digests of their members are stored there too, so
/// that the archives are read once; with `verify` they are read again. An error names an archive that has not
/// been fetched, or whose tree was changed since.
Result<RootPlan> planned_root(const Context& context, const TreeFacts& facts, const std::string& lock,
                              const std::string& store, const Composition& composition, bool verify);

} // namespace hostpin::redist
