// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace hostpin::redist {

/// What is known of an archive's content, as far as a user depends on it.
struct ReleaseContent {
  std::set<std::string> outputs;
  std::set<std::string> sonames; ///< of its shared libraries, without stubs
  std::set<std::string> gpus;    ///< compute capabilities with machine code, `sm_90`
  /// Of libraries by soname: the exported symbols, `NAME` or `NAME@VERSION`. A soname that is not there was
  /// not read.
  std::map<std::string, std::set<std::string>> symbols = {};

  bool operator==(const ReleaseContent&) const = default;
};

/// An archive of a package, as far as releases are compared.
struct ReleaseArchive {
  std::string sha256; ///< empty if only the content is known
  std::uint64_t size = 0;
  std::optional<ReleaseContent> content;
  std::string path = {}; ///< below the product's directory; empty if it is not known

  /// Whether users get the same, under any path.
  bool operator==(const ReleaseArchive& other) const {
    return sha256 == other.sha256 && size == other.size && content == other.content;
  }
};

struct ReleasePackage {
  std::string version, license;
  /// By platform and variant; the variant is empty if there is one archive for all CUDA majors.
  std::map<std::pair<std::string, std::string>, ReleaseArchive> archives;

  bool operator==(const ReleasePackage&) const = default;
};

/// A manifest or lock in the form in which two of them are compared.
struct Release {
  std::string title; ///< `cuda 12.4.1`; of a lock its manifests
  std::map<std::string, ReleasePackage> packages;
};

Release release_of(const Manifest& manifest);
Release release_of(const Lock& lock);

/// A feature manifest of generation 2, such as `redist features` writes: contents instead of archives. The
/// hash of each tree identifies its archive. What is not of the expected type is left out.
Release release_of_features(const document::Value& json, const std::string& file);

/// Reads a manifest, a lock or a feature manifest of generation 2; the error has the position of what is
/// wrong. Findings that are no errors, or not about one of the platforms, are ignored. No platforms mean all.
Result<Release> read_release(const Files& files, const std::string& path,
                             std::span<const std::string> platforms = {});

/// The archives that serve the platform, and the packages that have one.
Release limited(Release release, const std::string& platform);

} // namespace hostpin::redist
