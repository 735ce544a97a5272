// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// As a person wrote it; what is not mangled as it is.
std::string demangled(const std::string& symbol);

/// The undefined symbols of a program or library that want a version of one of its libraries (by soname),
/// mangled, in the file's order, 10,000 at most; empty where the file has no section headers to find them by.
std::vector<std::string> symbols_wanting(std::string_view bytes, std::string_view library,
                                         std::string_view version);

/// Who in an input of a link refers to a symbol without defining it: `path`, or `path(member)` in an archive;
/// empty when nobody does. Objects that hold no machine code yet (LTO) are searched for the name.
std::string reference(const std::string& path, std::string_view bytes, std::string_view symbol);

struct LackedSymbol {
  std::string name; ///< mangled
  std::string by;   ///< the input that refers to it, as `reference` names it
};

/// What machine code in the inputs of a link refers to, none of them defines, and of two shared libraries
/// only the newer one does. Each symbol once, in the inputs' order.
std::vector<LackedSymbol> lacked_symbols(std::span<const std::string> inputs, const std::string& library,
                                         const std::string& newer);

} // namespace hostpin
