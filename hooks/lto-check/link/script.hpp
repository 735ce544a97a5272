// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The symbols that a linker script refers to.
struct ScriptSymbols {
  std::vector<std::string> wanted; ///< from EXTERN, and from an assignment whose value is a single symbol
  bool doubtful = false; ///< some are in commands where linkers differ: PROVIDE, ENTRY, functions, ...
};

/// Measured with GNU ld 2.40, gold and lld 14 and 19: `a = b;` and EXTERN pull in members with all of them,
/// PROVIDE does not with GNU ld and later lld, ENTRY does with lld only.
ScriptSymbols script_symbols(std::string_view text);

} // namespace hostpin
