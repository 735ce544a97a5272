// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/select/release.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// What users of the old release lose.
struct Break {
  enum class Kind {
    package_gone,
    package_renamed, ///< or split
    platform_lost,
    variant_lost,     ///< the archive for a CUDA major
    archive_replaced, ///< another content under the same version
    soname_lost,
    symbol_lost, ///< of a library that is still there, perhaps by another soname
    gpu_lost,
    output_lost,
  };

  Kind kind = Kind::package_gone;
  std::string package;  ///< empty if it is a platform of the whole release
  std::string platform; ///< may be empty, or several, separated by commas
  std::string what;     ///< one sentence without its end

  bool operator==(const Break&) const = default;
};

/// `package-gone`: stable, for reports.
std::string_view to_string(Break::Kind kind);

/// How a package differs.
struct PackageChange {
  std::string package;
  std::string old_version, new_version; ///< empty if it is not there
  std::string old_license, new_license;
  std::vector<std::string> added_platforms,
      lost_platforms;                         ///< with the variant, if there is one: `linux-sbsa cuda12`
  std::vector<std::string> changed_platforms; ///< another archive
  std::uint64_t bytes_to_fetch = 0;

  bool operator==(const PackageChange&) const = default;
};

/// A package that is listed under other names.
struct Renamed {
  std::string from;
  std::vector<std::string> to; ///< those that are in the new release

  bool operator==(const Renamed&) const = default;
};

/// A library that is in both releases, and exports other symbols.
struct SymbolChange {
  std::string package;
  std::string old_library, new_library; ///< sonames; if they differ, symbols are compared without versions
  std::vector<std::string> platforms;
  std::vector<std::string> added, removed; ///< `NAME` or `NAME@VERSION`, sorted

  bool operator==(const SymbolChange&) const = default;
};

struct Difference {
  std::string old_title, new_title;
  std::vector<Break> breaks; ///< the most important ones first
  std::vector<Renamed> renamed;
  std::vector<PackageChange> packages; ///< by package; those that are not the same
  std::vector<SymbolChange> symbols;   ///< by package and library
  std::size_t archives = 0;            ///< of the new release
  std::size_t archives_to_fetch = 0;   ///< whose content the old one has not, each content once
  std::uint64_t bytes = 0, bytes_to_fetch = 0;

  bool is_none() const { return packages.empty() && breaks.empty(); }
};

/// Compares two releases: a content that the old one has under any name need not be fetched.
Difference difference(const Facts& facts, const Release& from, const Release& to);

/// As text: what breaks, then what is to be fetched, then each package that differs.
std::string text_of(const Difference& difference);

/// As JSON, ending with a newline; of added and of removed symbols of a library at most 100 each.
std::string json_of(const Difference& difference);

} // namespace hostpin::redist
