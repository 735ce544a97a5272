// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// A release number. Missing parts are 0, so 12.4 equals 12.4.0.
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const Version&) const = default;
};

/// Reads `12`, `12.4` or `12.4.99` (parts 0 to 999999); nothing for anything else, including trailing text.
std::optional<Version> parse_version(std::string_view text);

/// `12.4` if the patch is 0, else `12.4.99`.
std::string to_string(const Version& version);

/// All three parts, `13.3.0`: the way compilers are named.
std::string to_full_string(const Version& version);

} // namespace hostpin
