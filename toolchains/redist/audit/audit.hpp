// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/audit/facts.hpp"
#include "toolchains/redist/audit/originals.hpp"
#include "toolchains/redist/audit/subject.hpp"
#include "toolchains/redist/finding.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// What a file is.
enum class Verdict {
  other,       ///< not NVIDIA's
  open_source, ///< with NVIDIA's copyright, under an open license
  unchanged,   ///< byte for byte an original
  linked,      ///< other code with NVIDIA's linked in
  unproven,    ///< with NVIDIA's marks, and no original of the same build is at hand
  changed,     ///< NVIDIA's, and different from its original
  not_judged,  ///< not read: a link that leads outside, a device, an archive, a file that cannot be read
};

std::string_view to_string(Verdict verdict);

struct AuditedFile {
  std::string path; ///< below the tree or wheel
  Verdict verdict = Verdict::other;
  std::uint64_t size = 0;
  std::string sha256;               ///< empty if it was not read
  std::string part;                 ///< NVIDIA's name of it
  std::string original;             ///< what it equals or was made from, with its name there
  std::string proof;                ///< what proves that the original is NVIDIA's
  std::vector<std::string> linked;  ///< parts that are linked in
  std::vector<std::string> details; ///< what differs, by which tools, or why there is no verdict
  bool failed = false;              ///< it could not be read, so that the audit is incomplete
};

struct Audit {
  std::vector<AuditedFile> files; ///< by path
  std::size_t links = 0;          ///< symbolic links that lead to other files of the tree

  std::size_t count(Verdict verdict) const;
  bool is_incomplete() const;
};

/// Judges every file of a tree or wheel, with several threads.
Audit audited(const Subject& subject, const Originals& originals, const AuditFacts& facts);

/// `listed`, `not listed` or `unknown`, with the agreement, for a part.
struct PartListing {
  std::string_view state;
  std::string agreement; ///< empty if unknown
};
PartListing listing(std::string_view part, const AuditFacts& facts);

/// Findings for the changed, unproven and linked files, and for those that were not judged; sorted.
std::vector<Finding> audit_findings(const Audit& audit);

/// The report for people; `all`: with a line for each file.
std::string audit_text(const Audit& audit, const AuditFacts& facts, bool all);
/// JSON; the schema is share/hostpin/schema/redist-audit.schema.json.
std::string audit_json(const Audit& audit, const AuditFacts& facts);

} // namespace hostpin::redist
