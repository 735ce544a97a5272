// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/finding.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/tree/compose_facts.hpp"
#include "toolchains/redist/tree/members.hpp"
#include "toolchains/redist/tree/origin.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace hostpin::redist {

/// What to compose.
struct Composition {
  std::string host;                 ///< NVIDIA's platform of the programs
  std::vector<std::string> targets; ///< platforms of headers and libraries, the default one first; not empty
  std::set<std::string> outputs;    ///< names of outputs, or PACKAGE.OUTPUT; empty: all
  bool compat = false;              ///< with the compatibility libraries
  bool patched = false;             ///< files may be changed
  std::string driver;               ///< directory of the NVIDIA driver's libraries; may be empty

  /// Whether this output of a package is selected.
  bool takes(const std::string& package, const std::string& output) const;
  /// Whether any output of the package may be.
  bool takes_some_of(const std::string& package) const;
};

/// An unpacked archive.
struct ArchiveTree {
  LockedArchive archive;
  std::string directory; ///< its top directory on disk
  std::vector<Member> members;
};

/// Reads the text of a member that may have to be changed: nvcc.profile and pkg-config files.
using ReadMember = std::function<Result<std::string>(const std::string& path)>;

/// One path of the root, and where its content comes from.
struct RootPiece {
  OriginEntry entry;
  std::string source; ///< file to link to; empty for links and made files
  std::string text;   ///< of a file that is changed or made
};

/// A root that is not written yet.
struct RootPlan {
  Origin origin;                 ///< without entries
  std::vector<RootPiece> pieces; ///< by path
  std::vector<Finding> findings;
};

/// The archives of a lock that the composition takes: those of the host, of the targets and for all
/// platforms; of several variants the one for the toolkit's CUDA major, else all. An error if a platform has
/// none.
Result<std::vector<LockedArchive>> selected_archives(const Lock& lock, const Composition& composition,
                                                     const TreeFacts& facts);

/// The major of the `cuda` product among the archives, else that of their variants; empty if neither.
std::string cuda_major(const std::vector<LockedArchive>& archives);

/// Whether the root has no `targets` directory: CMake cannot find the only target there, since none of its
/// releases knows its name.
bool is_one_target(const Composition& composition, const TreeFacts& facts);

/// Lays out the trees, as NVIDIA's installer does. Findings: path-conflict.
Result<RootPlan> plan_root(const std::vector<ArchiveTree>& trees, const Composition& composition,
                           const TreeFacts& facts, const ReadMember& read);

/// The names of outputs that may be selected: those of the content facts, `out`, `compat`, `license`.
std::set<std::string> output_names(const ContentFacts& facts);

} // namespace hostpin::redist
