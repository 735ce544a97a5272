// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A list of patterns of fnmatch(3) under a name.
struct NamedPatterns {
  std::string name;
  std::vector<std::string> patterns;
};

/// Where the version of a package is in its headers.
struct VersionMacros {
  std::string package;
  std::string header;              ///< pattern of its path
  std::vector<std::string> macros; ///< their values are the first parts of the version
};

/// `data/redist-content.toml`: what archives contain, as far as it changes with releases.
struct ContentFacts {
  std::vector<NamedPatterns> outputs;         ///< in the order in which they are tried
  std::vector<NamedPatterns> opened;          ///< by package; an empty name: the driver
  std::vector<std::string> driver_sonames;    ///< of libraries that only drivers have
  std::vector<std::string> driver_packages;   ///< the packages that have them
  std::vector<NamedPatterns> top_directories; ///< by package: one name, with VERSION in it
  std::vector<NamedPatterns> foreign;         ///< by package: files for other machines
  std::vector<std::string> own_versions;      ///< names of libraries with a version that is not the package's
  std::vector<VersionMacros> version_macros;
  std::vector<std::string> vendored;       ///< names of libraries that distributions have
  std::vector<std::string> host_paths;     ///< beginnings of paths of other machines
  std::vector<std::string> system_headers; ///< patterns of names in #include
};

/// Reads it from the directory of the data files.
Result<ContentFacts> load_content_facts(const Files& files, const std::string& directory);

/// The output that a path below an archive's top directory belongs to; `out` if no pattern matches.
std::string output_of(const ContentFacts& facts, const std::string& path);

/// Whether a pattern of fnmatch(3) matches all of the text; `*` also matches slashes.
bool matches(const std::string& pattern, const std::string& text);
bool matches_any(const std::vector<std::string>& patterns, const std::string& text);

/// The package that has a library which is opened by this name: nothing if the name is of no known family,
/// empty if it is the driver's.
std::optional<std::string> opened_package(const ContentFacts& facts, const std::string& name);

} // namespace hostpin::redist
