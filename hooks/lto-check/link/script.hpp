// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The symbols that a linker script refers to.
struct ScriptSymbols {
  std::vector<std::string> wanted; ///< by EXTERN, and by the value of an assignment that stands for itself
  bool doubtful = false; ///< some stand where linkers differ: PROVIDE, ENTRY, ASSERT, functions, SECTIONS
};

/// Measured with GNU ld 2.40, gold and lld 14 and 19: `a = b;` and EXTERN pull in members with all of them,
/// PROVIDE does not with GNU ld and later lld, ENTRY does with lld only.
ScriptSymbols script_symbols(std::string_view text);

} // namespace hostpin
