// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/lock.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace hostpin::redist {

/// What fragments are made from. All of them are the same for the same input: sorted, without the time.
struct Emission {
  const Facts& facts;
  const Lock& lock;
  std::string prefix; ///< of an unpacked or composed tree, for `spack`
  /// Of a composed toolkit, for `spdx`: the license text of each archive, by the archive's SHA-256.
  std::map<std::string, std::string> licenses = {};
};

/// A kind of build system or document.
struct Form {
  std::string_view name; ///< as after --for
  const char* description;
  Result<std::string> (*text)(const Emission&);
};

/// Sorted by name.
std::span<const Form> forms();

/// A function of fetchurl: an attribute set by platform and package.
Result<std::string> nix_text(const Emission& emission);
/// A .bzl file: the archives as a dictionary, and a macro with an http_archive for each.
Result<std::string> bazel_text(const Emission& emission);
/// A file to include: a FetchContent_Declare for each archive.
Result<std::string> cmake_text(const Emission& emission);
/// The `source` section of a conda recipe (meta.yaml), with a selector for each platform.
Result<std::string> conda_text(const Emission& emission);
/// A manifest of the lock's archives alone, in the form of NVIDIA's manifests, as Nixpkgs reads them, with
/// the digest of the manifest that the lock is from. The lock has to be of one manifest.
Result<std::string> nixpkgs_text(const Emission& emission);
/// A packages.yaml with an external package for each product that Spack has a package for. The lock has to be
/// for one platform, as a prefix is.
Result<std::string> spack_text(const Emission& emission);
/// SPDX 2.3 as JSON: a package for each archive, with its own license text if that is known.
Result<std::string> spdx_text(const Emission& emission);

} // namespace hostpin::redist
