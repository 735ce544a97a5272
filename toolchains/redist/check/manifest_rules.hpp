// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/finding.hpp"
#include "toolchains/redist/manifest.hpp"

#include <vector>

namespace hostpin::redist {

/// Appends what the text of one manifest shows to be wrong, other than what its reader found: labels, hashes,
/// names, platforms, variants, licenses, and keys that are missing where other entries have them.
void check_manifest(const Manifest& manifest, const Facts& facts, std::vector<Finding>& findings);

} // namespace hostpin::redist
