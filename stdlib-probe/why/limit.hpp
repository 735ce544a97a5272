// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/library_symbols.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/table/symbol_versions.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// What may be needed without being reported.
struct Limit {
  /// The highest version for each prefix (`GLIBCXX_`, `CXXABI_`).
  std::map<std::string, Version, std::less<>> highest;
  std::optional<LibrarySymbols> library; ///< instead: whatever this library defines
};

enum class Standing { within, above, not_comparable };

/// `symbol@version` against the limit. Versions that are no number (`CXXABI_FLOAT128`) cannot be compared
/// except with a library.
Standing standing(const Limit& limit, const std::string& symbol, const std::string& version);

/// Everything newer than the first versions, GLIBCXX_3.4 and CXXABI_1.3.
Limit no_limit();

/// Of names such as `GLIBCXX_3.4.30`. With only one prefix named, the other one's limit is what the same GCC
/// release had. An error for other words.
Result<Limit> limit_of(std::span<const std::string> names, const std::vector<SymbolRelease>& releases);

/// `GLIBCXX_3.4.30` in parts; nothing for names that are no such version.
std::optional<std::pair<std::string, Version>> version_parts(const std::string& name);

/// Whether a version comes before another for a reader: newest first, GLIBCXX before CXXABI, unknown last.
bool newer(const std::string& a, const std::string& b);

} // namespace hostpin
