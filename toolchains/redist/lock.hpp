// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/document/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A manifest, or a list of releases, that archives of a lock come from.
struct LockedManifest {
  std::string product;  ///< `cuda`
  std::string label;    ///< `12.4.1`
  std::string date;     ///< `2024-04-16`; may be empty
  std::string sha256;   ///< of the manifest itself
  std::string base;     ///< URL of the directory that paths of archives are below, ending with a slash
  std::string url = {}; ///< of the manifest itself; empty if it was read from a file

  bool operator==(const LockedManifest&) const = default;
};

/// One archive that was selected.
struct LockedArchive {
  std::string product; ///< with `label`: which manifest
  std::string label;
  std::string package;
  std::string version;
  std::string platform; ///< NVIDIA's name of it
  std::string variant;  ///< `cuda12` or `cuda13.3`; empty if there is one archive for all CUDA releases
  std::string license;  ///< as in the manifest
  std::string path;     ///< below the manifest's base
  std::string sha256;   ///< 64 lower-case hexadecimal digits
  std::optional<std::uint64_t> size; ///< bytes
  std::string tree; ///< SHA-256 of the unpacked tree as a Nix archive, 64 digits; empty if not computed yet
  std::string name = {};         ///< of the package, for people: `CUDA NVCC`; empty if the manifest has none
  std::string license_path = {}; ///< below the manifest's base; likewise
  std::string md5 = {};          ///< 32 lower-case hexadecimal digits; likewise

  bool operator==(const LockedArchive&) const = default;
};

/// What `hostpin redist lock` selects: every choice and every hash. The same inputs give the same bytes.
struct Lock {
  std::vector<LockedManifest> manifests; ///< by product and label
  std::vector<LockedArchive> archives;   ///< by product, label, package, platform and variant

  bool operator==(const Lock&) const = default;
};

/// Reads the text of a lock; the error is `file:line:column: what`. Hashes and paths are well-formed then:
/// no path leaves its directory.
Result<Lock> read_lock(std::string_view content, const std::string& file);

/// The same of a parsed one.
tl::expected<Lock, document::Problem> read_lock(const document::Value& json);

/// Its text: JSON, sorted, without the time, ending with a newline.
std::string lock_text(Lock lock);

/// Where an archive is downloaded from: the base of its manifest, followed by its path.
std::string url_of(const Lock& lock, const LockedArchive& archive);

/// `libcublas 12.4.5.8 linux-x86_64`, for messages.
std::string name_of(const LockedArchive& archive);

/// Whether an argument is an absolute URL, rather than a path.
bool is_url(std::string_view argument);
/// An error if a URL has a user or password: it would be in locks and messages.
Result<void> check_no_user(std::string_view url);

/// Whether it is a path below its directory: relative, without `.` and `..` and empty names, of characters
/// that archives' names have.
bool is_safe_path(std::string_view path);

/// Whether it is a path below its directory in the same sense, in UTF-8 and without
/// control characters.
bool is_path_below(std::string_view path);

/// The name of an archive without `.tar.xz`, `.tar.gz`, `.tar.zst` or `.zip`; all of it if it has none of
/// them.
std::string_view archive_stem(std::string_view name);

/// Whether a variant is for a CUDA release, as far as both are named: `cuda13` and `cuda13.3` are for 13.3.0,
/// and for 13.
bool fits_cuda(std::string_view variant, std::string_view release);

using document::is_hex_digest;

} // namespace hostpin::redist
