// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/check/release_rules.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/manifest.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace hostpin::redist {

/// What a lock is to contain.
struct Wish {
  std::vector<std::string> platforms; ///< NVIDIA's names, at least one
  /// Keys of packages; empty: all. `cuda_compat@linux-aarch64` is wanted for that platform only.
  std::vector<std::string> packages;
  std::string cuda_variant;                 ///< `12`; empty: the major of the CUDA manifest
  std::map<std::string, std::string> bases; ///< by product: URLs in place of those of the facts
};

/// What was selected, and what was not.
struct Selection {
  Lock lock;
  /// By platform: the packages of a whole release that are not published for it.
  std::map<std::string, std::vector<std::string>> left_out;
};

/// The CUDA release that archives for several are selected for: `wish.cuda_variant`, else the release of the
/// CUDA manifest, or the major that several have in common; empty if it is not known.
std::string cuda_of(std::span<const CheckedManifest> sources, const Wish& wish);

/// Errors of archives and listed releases that the wish does not want become warnings: NVIDIA does not
/// correct manifests that were published. Releases that were selected from lists are among `sources`.
void forgive_unselected(std::span<const CheckedManifest> sources, const Wish& wish,
                        std::vector<Finding>& findings);

/// Selects one archive for each package and platform: that of the platform, else that of `linux-all`, else
/// `source`, which fits every platform. If there is one for each CUDA major, it is that of `cuda_variant`.
/// An archive for Jetson is only selected as `linux-aarch64`, and nothing else is selected in its place.
/// The manifests have no errors. An error names what is not there, and what is: the nearest name, a package's
/// new name, the platforms and variants to choose from.
Result<Selection> selection(const Facts& facts, std::span<const CheckedManifest> sources, const Wish& wish);

} // namespace hostpin::redist
