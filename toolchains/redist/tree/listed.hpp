// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/manifest.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// An archive that a manifest or a lock lists.
struct ListedArchive {
  std::string package;
  std::string name;    ///< of the package for people; empty in a lock, as is the path of the license
  std::string license; ///< may be empty, as may be the variant
  std::string license_path;
  std::string version;
  std::string platform;
  std::string variant;
  std::string path;   ///< below the product's directory; safe, see `is_safe_path`
  std::string sha256; ///< 64 lower-case hexadecimal digits

  auto operator<=>(const ListedArchive&) const = default;
};

/// The archives for one platform, or for all if it is empty, in a manifest (`redistrib_X.json`) or a lock,
/// those of `packages` if there are any, sorted. An error if the file cannot be read as either, has no
/// archive for the platform, or lacks one of the packages for it; `file` names it.
Result<std::vector<ListedArchive>> listed_archives(std::string_view content, const std::string& file,
                                                   const std::string& platform,
                                                   const std::vector<std::string>& packages);

/// All archives of a manifest whose path and SHA-256 are well-formed; rules of files report the others.
std::vector<ListedArchive> well_formed_archives(const Manifest& manifest);

/// `libcublas 12.4.5.8 linux-x86_64`, for messages.
std::string name_of(const ListedArchive& archive);

} // namespace hostpin::redist
