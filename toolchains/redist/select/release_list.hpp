// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/check/release_rules.hpp"
#include "toolchains/redist/check/releases.hpp"

#include <string>
#include <vector>

namespace hostpin::redist {

/// What a release of a list is selected for.
struct ReleaseWish {
  std::string cuda; ///< release of the CUDA manifest, `12.4.1`, or of --cuda-variant; empty: not known
  std::vector<std::string> platforms;
  std::string base;           ///< URL that archives are below, ending with a slash; empty: not known
  bool base_is_named = false; ///< by the user: file names of a list are below it
};

/// The newest release of a list written by hand that is for this CUDA release and for all of the platforms,
/// as a manifest with one package, named as the product. `sha256`: of the list. An error names what the list
/// has.
Result<CheckedManifest> newest_release(const Releases& releases, const std::string& sha256,
                                       const ReleaseWish& wish);

} // namespace hostpin::redist
