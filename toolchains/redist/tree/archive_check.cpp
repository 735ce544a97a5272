// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/archive_check.hpp"

#include "toolchains/base/files.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hostpin::redist {

namespace {

ArchiveSubject subject_of(const ListedArchive& archive) {
  return {archive.package, archive.version, archive.platform, archive.variant, archive.path, {}};
}

void add_problem(ArchiveCheck& check, const ListedArchive& archive, const ArchiveProblem& problem) {
  using Kind = ArchiveProblem::Kind;
  if (problem.kind == Kind::absent) {
    ++check.absent;
    return;
  }
  if (problem.kind == Kind::failed) {
    check.errors.push_back(problem.error);
    return;
  }
  ++check.checked;
  const Rule rule = problem.kind == Kind::other_hash ? Rule::mistaken_hash : Rule::unsafe_member;
  Finding found = finding(rule, archive.path, {}, archive.path, problem.error.message);
  found.package = archive.package;
  found.platform = archive.platform;
  check.findings.push_back(std::move(found));
}

} // namespace

ArchiveCheck check_archives(const std::vector<ListedArchive>& listed, const TreeSources& sources,
                            const Facts& facts, const ContentFacts& content_facts, const WantedGpus& gpus,
                            const Environment& environment) {
  ArchiveCheck check;
  for (const ListedArchive& archive : listed) {
    const auto unpacked = unpack_listed(archive, sources, environment);
    if (!unpacked) {
      add_problem(check, archive, unpacked.error());
      continue;
    }
    const auto contents = inspect(unpacked->path, archive.package, content_facts);
    if (!contents) {
      check.errors.push_back(contents.error());
      continue;
    }
    ++check.checked;
    ArchiveSubject subject = subject_of(archive);
    subject.top_names =
        unpacked->top.empty() ? DiskFiles().entries(unpacked->path) : std::vector<std::string>{unpacked->top};
    auto found = archive_findings(subject, *contents, facts, content_facts, gpus);
    std::move(found.begin(), found.end(), std::back_inserter(check.findings));
  }
  sort(check.findings);
  return check;
}

} // namespace hostpin::redist
