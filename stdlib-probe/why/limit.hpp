// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/table/symbol_versions.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::probe {

/// The dynamic symbols that a shared library defines under versions of libstdc++ (`GLIBCXX_`, `CXXABI_`).
struct LibrarySymbols {
  std::map<std::string, std::string> linked; ///< mangled name to the version that a link uses
  std::set<std::string> defined;             ///< `symbol@version`, including those for older programs
};

/// True if a version name is one of libstdc++.
bool is_libstdcxx_version(std::string_view version);

/// Reads an ELF shared library. An error, naming the path, if it is not one or defines no such symbol.
Result<LibrarySymbols> library_symbols(const Files& files, const std::string& path);

/// The versions that are not reported.
struct Limit {
  /// The highest version for each prefix (`GLIBCXX_`, `CXXABI_`).
  std::map<std::string, Version, std::less<>> highest;
  std::optional<LibrarySymbols> library; ///< instead: what this library defines
};

enum class Standing { within, above, not_comparable };

/// Compares `symbol@version` with the limit. Versions without a number (`CXXABI_FLOAT128`) can only be
/// compared with a library.
Standing standing(const Limit& limit, const std::string& symbol, const std::string& version);

/// Everything newer than the first versions, GLIBCXX_3.4 and CXXABI_1.3.
Limit no_limit();

/// The limit of names such as `GLIBCXX_3.4.30`. If only one prefix is named, the other one's limit is that of
/// the same GCC release. An error for other names.
Result<Limit> limit_of(std::span<const std::string> names, const std::vector<SymbolRelease>& releases);

/// The parts of `GLIBCXX_3.4.30`; nothing for other names.
std::optional<std::pair<std::string, Version>> version_parts(const std::string& name);

/// The order of versions in output: newest first, GLIBCXX before CXXABI, unknown last.
bool newer(const std::string& a, const std::string& b);

} // namespace hostpin::probe
