// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/version.hpp"
#include "toolchains/redist/finding.hpp"
#include "toolchains/redist/tree/root.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::redist {

/// What a root is used with.
struct RootUse {
  std::optional<Version> glibc; ///< of the C library; nothing: not checked
  std::optional<Version> cmake; ///< the oldest CMake in use; nothing: the oldest that hostpin supports, 3.25
};

/// The findings of all rules about roots but path-conflict and changed-file, in the order of the files.
std::vector<Finding> root_findings(const Root& root, const TreeFacts& facts, const RootUse& use);

/// The sonames that libraries of the root need and that only exist where programs run: the driver's, a
/// Jetson's and the system's. Those of the C library and the compiler are not listed.
std::vector<std::string> expected_at_run(const Root& root, const ComposeFacts& facts);

/// All findings about a composed root: the comparison with its `origin.json`, and the rules. The error if it
/// cannot be read.
Result<std::vector<Finding>> check_root(const std::string& directory, const TreeFacts& facts,
                                        const RootUse& use);

} // namespace hostpin::redist
