// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/redist/select/release.hpp"
#include "toolchains/redist/tree/archive_trees.hpp"
#include "toolchains/redist/tree/content_facts.hpp"
#include "toolchains/redist/tree/origin.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::redist {

/// Where the contents of a release's archives are: in a directory of archives, in a store, or in a composed
/// toolkit.
class ReleaseContents {
public:
  ReleaseContents(TreeSources sources, const Environment& environment)
      : sources_(std::move(sources)), environment_(&environment) {}

  /// Those in a composed toolkit, which has what was selected of each archive.
  static ReleaseContents of_root(const std::string& directory, const Origin& origin);

  /// Whether there is a place to read from.
  bool are_known() const;

  /// What users depend on in an archive; nothing if it is not there. The error is about an archive that is
  /// another one or is damaged.
  Result<std::optional<ReleaseContent>> read(const std::string& package, const std::string& platform,
                                             const ReleaseArchive& archive, const ContentFacts& facts) const;

private:
  struct RootFiles {
    std::vector<std::string> libraries; ///< paths of files of the output `lib`
    std::set<std::string> outputs;
  };
  ReleaseContents() = default;
  Result<ReleaseContent> in_root(const RootFiles& files, const ContentFacts& facts) const;

  TreeSources sources_;
  const Environment* environment_ = nullptr;
  std::string root_;                       ///< the composed toolkit; empty if it is none
  std::map<std::string, RootFiles> files_; ///< by SHA-256 of the archive
};

/// The manifests that the archives of a composed toolkit come from.
std::vector<LockedManifest> manifests_of(const Origin& origin);

} // namespace hostpin::redist
