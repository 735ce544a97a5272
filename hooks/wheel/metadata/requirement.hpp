// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/version.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// A condition on a version: `>=13.0`.
struct Specifier {
  std::string comparison; ///< `==`, `===`, `~=`, `!=`, `<`, `<=`, `>`, `>=`
  std::string version;    ///< `13.0.2`, `13.*`
};

/// A value of Requires-Dist (PyPA, "Dependency specifiers").
struct Requirement {
  std::string name;                ///< normalised
  std::vector<std::string> extras; ///< in lower case
  std::vector<Specifier> specifiers;
  std::string marker;  ///< after the semicolon, or empty
  bool is_url = false; ///< it names a file instead of versions

  /// The extra under which it holds; empty if it always does.
  std::string extra() const;
  /// False if the marker excludes Linux.
  bool is_for_linux() const;
  /// Whether some version with that major number fits.
  bool admits_major(int major) const;
  /// Whether versions have an upper bound.
  bool has_ceiling() const;
  /// Whether a release fits (PyPA, "Version specifiers"). What follows the third part of a version, such as
  /// `rc1`, does not count.
  bool admits(const Version& version) const;
  /// Whether one release fits only: `==1.2`, or a URL.
  bool is_pinned() const;
  /// Whether a release at or after one may fit. Each condition is looked at by itself.
  bool admits_from(const Version& version) const;
  /// Whether releases before one may fit: no version that is named as the lowest, or the only one, rules
  /// them out. There are none before 0.0.
  bool admits_before(const Version& version) const;
};

/// Nothing for text that is not a requirement.
std::optional<Requirement> read_requirement(std::string_view text);

} // namespace hostpin::wheel
