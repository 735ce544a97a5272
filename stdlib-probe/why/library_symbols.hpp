// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace hostpin {

/// The dynamic symbols that a shared library defines under versions of libstdc++ (`GLIBCXX_`, `CXXABI_`).
struct LibrarySymbols {
  std::map<std::string, std::string> linked; ///< mangled name to the version that a link uses
  std::set<std::string> defined;             ///< `symbol@version`, including those for older programs
};

/// True if a version name is one of libstdc++.
bool is_libstdcxx_version(std::string_view version);

/// Reads an ELF shared library. An error, naming the path, if it is not one or defines no such symbol.
Result<LibrarySymbols> library_symbols(const Files& files, const std::string& path);

} // namespace hostpin
