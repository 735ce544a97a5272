// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/tree/contents.hpp"

#include <string>
#include <vector>

namespace hostpin::redist {

/// An archive and what is in it, for a feature manifest.
struct InspectedArchive {
  std::string package; ///< `libcublas`
  std::string name;    ///< of the package for people; it, the license and its path may be empty
  std::string license;
  std::string license_path;
  std::string version;
  std::string platform;
  std::string variant; ///< `cuda12`; empty if there is one archive for all CUDA majors
  std::string tree;    ///< SHA-256 of the tree as a Nix archive, 64 hexadecimal digits; empty if not known
  Contents contents;
};

/// The outputs that a tree has, in the form of feature manifests: `out`, then by name. `dev` is among them if
/// there are headers, as in existing feature manifests; `lib` if there is a library other than stubs, which
/// existing ones do not distinguish.
std::vector<std::string> outputs_of(const Contents& contents);

/// A feature manifest: JSON that readers of generation 2 (cuda-packages) accept, with more members. Sorted,
/// without the time: the same archives give the same bytes. Described by
/// share/hostpin/schema/redist-features.schema.json.
std::string features_text(const std::vector<InspectedArchive>& archives, const ContentFacts& facts);

/// `sha256-...`: the form of hashes in Nix, of 64 hexadecimal digits.
std::string sri_of(const std::string& sha256);

} // namespace hostpin::redist
