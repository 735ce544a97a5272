// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/redist/tree/archive_rules.hpp"
#include "toolchains/redist/tree/archive_trees.hpp"

#include <cstddef>
#include <vector>

namespace hostpin::redist {

/// What was found in archives.
struct ArchiveCheck {
  std::vector<Finding> findings; ///< sorted
  std::vector<Error> errors;     ///< archives that could not be read for another reason than their content
  std::size_t checked = 0;
  std::size_t absent = 0; ///< listed archives that are not there, and are not checked
};

/// Verifies, unpacks and judges each listed archive that is there. One with another hash is a finding of
/// mistaken-hash, one that cannot be unpacked safely one of unsafe-member.
ArchiveCheck check_archives(const std::vector<ListedArchive>& listed, const TreeSources& sources,
                            const Facts& facts, const ContentFacts& content_facts, const WantedGpus& gpus,
                            const Environment& environment);

} // namespace hostpin::redist
