// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A GCC release and the symbol versions that its libstdc++.so.6 introduced.
struct SymbolRelease {
  std::string gcc;                   ///< such as `13.2`
  std::vector<std::string> versions; ///< such as `GLIBCXX_3.4.32`
  std::string source;
};

/// Reads libstdcxx.toml of `directory`: releases ascend without duplicates, and versions are unique. Errors
/// carry `file:line:column`.
Result<std::vector<SymbolRelease>> load_symbol_releases(const Files& files, const std::string& directory);

/// The GCC release, such as `13.2`, that introduced a version such as `GLIBCXX_3.4.32`; nothing if the
/// table does not name that version.
std::optional<std::string> introduced_by(const std::vector<SymbolRelease>& releases,
                                         std::string_view version_name);

} // namespace hostpin
