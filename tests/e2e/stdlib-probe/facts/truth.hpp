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

/// The files that a real link of a small C++ program opens, as the linker traces them, with symlinks
/// resolved; nothing when the link fails.
std::optional<std::vector<std::string>> linked_files(const std::vector<std::string>& driver,
                                                     const std::string& scratch);

/// The versions behind a prefix that readelf shows among the definitions, or the needs, of a file; the
/// highest.
std::string highest_by_readelf(const std::string& path, const std::string& prefix, bool needs);

} // namespace hostpin::test
