// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::loader {

/// The undefined symbols of a program or library that need a version of one of its libraries (by soname),
/// mangled, in the file's order, 10,000 at most; empty if the file has no section headers.
std::vector<std::string> symbols_wanting(std::string_view bytes, std::string_view library,
                                         std::string_view version);

/// The input of a link that refers to a symbol without defining it: `path`, or `path(member)` in an archive;
/// empty if there is none. Objects without machine code (LTO) are searched for the name.
std::string reference(const std::string& path, std::string_view bytes, std::string_view symbol);

struct LackedSymbol {
  std::string name; ///< mangled
  std::string by;   ///< the input that refers to it, as `reference` names it
};

/// Symbols that machine code in the inputs of a link refers to, that none of them defines, and that only the
/// newer of two shared libraries defines. Each symbol once, in the inputs' order.
std::vector<LackedSymbol> lacked_symbols(std::span<const std::string> inputs, const std::string& library,
                                         const std::string& newer);

} // namespace hostpin::loader
