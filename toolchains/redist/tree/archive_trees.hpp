// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/redist/tree/listed.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::redist {

/// Where the trees of archives come from: one of them is not empty.
struct TreeSources {
  std::string archives; ///< directory with the archives, below their published paths or all in one
  std::string store;    ///< of `redist fetch`
};

/// The tree of an archive.
struct UnpackedArchive {
  std::string path; ///< of the tree: the archive's top directory, or all of it if it has several
  std::string tree; ///< SHA-256 as a Nix archive, 64 digits
  std::string top;  ///< the archive's top directory; empty if it has several
  std::optional<ScratchDirectory> scratch; ///< that the tree is in, if it was unpacked for this
};

/// Why there is no tree.
struct ArchiveProblem {
  enum class Kind {
    absent,     ///< the archive is not there
    other_hash, ///< its SHA-256 is not the listed one
    unsafe,     ///< it is damaged or not safe to unpack
    failed,     ///< reading or writing failed
  };

  Kind kind = Kind::failed;
  Error error; ///< names the archive; has a hint
};

/// The tree of an archive, whose SHA-256 was verified: when it was fetched to the store, or now.
tl::expected<UnpackedArchive, ArchiveProblem>
unpack_listed(const ListedArchive& archive, const TreeSources& sources, const Environment& environment);

} // namespace hostpin::redist
