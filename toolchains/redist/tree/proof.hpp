// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/finding.hpp"
#include "toolchains/redist/tree/members.hpp"
#include "toolchains/redist/tree/origin.hpp"

#include <string>
#include <vector>

namespace hostpin::redist {

/// Whether the directory is a root that `hostpin redist compose` made.
bool is_composed_root(const std::string& directory);

/// Reads `origin.json` of a root.
Result<Origin> origin_at(const std::string& directory);

/// Compares every file of a root with its origin: changed-file findings for files that are missing, that
/// nobody put there, or that have another content, and for changes of an archive's binaries that a root
/// without --patched does not have.
Result<std::vector<Finding>> prove_root(const std::string& directory, const Origin& origin,
                                        const FileDigest& digest);

} // namespace hostpin::redist
