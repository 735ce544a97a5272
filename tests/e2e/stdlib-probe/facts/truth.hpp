// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::test {

using Macros = std::map<std::string, std::string>;

/// What the compiler defines once <cstddef> is included; nothing when it cannot even do that.
std::optional<Macros> defined_macros(const std::vector<std::string>& driver);

/// A library that a real link opened, by the name the linker traced, and with symlinks resolved.
struct Opened {
  std::string name;
  std::string path;
};

/// The shared libraries and archives that a real link of a small C++ program opens, without the scripts that
/// lead to them; nothing when the link fails.
std::optional<std::vector<Opened>> linked_files(const std::vector<std::string>& driver,
                                                const std::string& scratch);

/// The versions behind a prefix that readelf shows among the definitions, or the needs, of a file; the
/// highest.
std::string highest_by_readelf(const std::string& path, const std::string& prefix, bool needs);

} // namespace hostpin::test
