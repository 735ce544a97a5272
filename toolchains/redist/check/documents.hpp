// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/redist/check/feature_manifest.hpp"
#include "toolchains/redist/check/release_rules.hpp"
#include "toolchains/redist/check/releases.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hostpin::redist {

/// The files that are checked together.
struct Documents {
  std::vector<CheckedManifest> manifests;
  std::vector<FeatureManifest> features;
  std::vector<Releases> releases;
  std::size_t locks = 0;      ///< that could be read
  std::size_t unreadable = 0; ///< files that are not JSON or TOML, or have no object

  std::size_t count() const {
    return manifests.size() + features.size() + releases.size() + locks + unreadable;
  }
};

/// The files that an argument names: itself, or all .json, .toml and .lock files below a directory, sorted.
/// An error if there is none.
Result<std::vector<std::string>> document_files(const Files& files, const std::string& path);

/// Reads a file, by what it contains, into `documents`, and appends what its reader finds. A file of a
/// directory that is something else is skipped; one that was `named` is then a finding. An error if it cannot
/// be read.
Result<void> read_document(const Files& files, const std::string& path, bool named, Documents& documents,
                           std::vector<Finding>& findings);

/// Applies all rules of files to them.
void check_documents(const Documents& documents, const Facts& facts, std::vector<Finding>& findings);

} // namespace hostpin::redist
