// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A name in an #include.
struct Include {
  std::string name;
  bool quoted = false; ///< searched for in the directory of the header first

  auto operator<=>(const Include&) const = default;
};

/// The names in the #include lines of a header, each once, sorted. Conditions are not evaluated, so they are
/// what it may include; names that are macros are not among them.
std::vector<Include> includes_of(std::string_view header);

/// The value of `#define NAME NUMBER`, or of the first of several; nothing if there is none.
std::optional<std::uint64_t> macro_value(std::string_view header, std::string_view name);

/// A path of another machine in a text file.
struct HostPath {
  unsigned line = 0; ///< from 1
  std::string path;

  bool operator==(const HostPath&) const = default;
};

/// Absolute paths that begin with one of the prefixes, not in comments that begin with `#`, each once.
std::vector<HostPath> host_paths_in(std::string_view text, const std::vector<std::string>& prefixes);

/// The name that pkg-config or CMake's find_package knows a file by: `cudart-12.4` for `cudart-12.4.pc`,
/// `cub` for `cub-config.cmake` and `cubConfig.cmake`; nothing for other files.
std::optional<std::string> pkgconfig_name(std::string_view file);
std::optional<std::string> cmake_name(std::string_view file);

} // namespace hostpin::redist
