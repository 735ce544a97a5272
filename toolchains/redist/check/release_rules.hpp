// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/finding.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/manifest.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin::redist {

/// A manifest, with the digest of its text.
struct CheckedManifest {
  Manifest manifest;
  std::string sha256;
  std::string base = {}; ///< URL of the directory that it was fetched from, ending with a slash; may be empty
};

/// Appends what several manifests show together: one path with two hashes, one content under two names, two
/// labels of one release, platforms and packages that a release has no more.
void check_releases(std::span<const CheckedManifest> manifests, const Facts& facts,
                    std::vector<Finding>& findings);

/// Appends what differs between manifests and the lock that was made from them; returns how many of the
/// lock's manifests are among them: by product and label, or by the URL that both were fetched from.
std::size_t check_against(const Lock& lock, std::span<const CheckedManifest> manifests,
                          std::vector<Finding>& findings);

} // namespace hostpin::redist
