// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/gpus/gpus.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/finding.hpp"
#include "toolchains/redist/tree/contents.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::redist {

/// The archive that is judged, as the manifest lists it, and what its unpacker reports.
struct ArchiveSubject {
  std::string package;                ///< `libcublas`
  std::string version;                ///< `12.4.5.8`
  std::string platform;               ///< `linux-sbsa`
  std::string variant;                ///< `cuda12`; may be empty
  std::string file;                   ///< path or name of the archive, for findings and for its top directory
  std::vector<std::string> top_names; ///< names at the top of the archive; empty: not known, as in a store
};

/// GPUs that the archive is to be used with, for missing-gpu-code.
struct WantedGpus {
  std::vector<gpus::Gpu> table;           ///< of `gpus::load_gpus`
  std::vector<gpus::Capability> wanted{}; ///< none: the rule is not applied
};

/// A member that an unpacker rejects: rule unsafe-member.
struct RejectedMember {
  std::string path;
  std::string what; ///< the end of a sentence about the member: `leaves the directory`
};

/// The finding of rule unsafe-member for a member that was rejected.
Finding rejected_finding(const ArchiveSubject& subject, const RejectedMember& member);

/// The findings of the rules of archives (top-directory to loader-refuses, and unknown-license if there
/// is no license text), sorted. A platform without a row is not compared with machines. Calls nothing and
/// reads nothing: what `redist check --archives` and `--store` use for each archive.
std::vector<Finding> archive_findings(const ArchiveSubject& subject, const Contents& contents,
                                      const Facts& facts, const ContentFacts& content_facts,
                                      const WantedGpus& gpus = {});

/// The top directory that an archive should have.
std::string expected_top(const ArchiveSubject& subject, const ContentFacts& facts);

} // namespace hostpin::redist
