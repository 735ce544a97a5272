// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/document/json.hpp"
#include "toolchains/redist/finding.hpp"
#include "toolchains/redist/manifest.hpp"

#include <string>
#include <vector>

namespace hostpin::redist {

/// What a feature manifest lists for one archive.
struct ListedFeatures {
  std::string package;
  std::string platform;
  std::string variant;              ///< `cuda12`; empty if there is one archive for all CUDA majors
  std::vector<std::string> outputs; ///< `bin`, `dev`, sorted
  Text tree;                        ///< SRI of the unpacked tree as a Nix archive; generation 2 only
  Position at;
};

/// Features of the archives of a release, as computed by others: generation 1 of cuda-redist-find-features
/// (`outputs` with booleans), generation 2 of cuda-packages (lists, capabilities, a hash of the tree).
struct FeatureManifest {
  std::string file; ///< as it was named
  int generation = 1;
  std::vector<ListedFeatures> archives;
};

/// The generation of a feature manifest, 0 if the object is none.
int feature_generation(const document::Value& json);

/// Reads it; appends what does not follow the format to `findings` (duplicate-key, wrong-type,
/// malformed-hash).
FeatureManifest read_feature_manifest(const document::Value& json, const std::string& file,
                                      std::vector<Finding>& findings);

} // namespace hostpin::redist
