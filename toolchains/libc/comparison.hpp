// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/headers/header_probe.hpp"
#include "toolchains/libc/clash.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// One C library compared with one toolkit.
struct LibcComparison {
  std::string c_headers;              ///< directory of the C library, as Compiler has it
  Result<std::vector<Clash>> clashes; ///< an error if they could not be compared
};

/// One comparison for each distinct C library of these compilers, all evaluated at once. Compilers whose C
/// library was not found give one error with empty `c_headers`.
std::vector<LibcComparison> compare_libcs(const Toolkit& toolkit, std::span<const Compiler> compilers,
                                          const HeaderProbe& probe);

/// The clashes in an answer of `stdlib-probe libc --json`; an error if it is malformed.
Result<std::vector<Clash>> read_clashes(std::string_view answer);

} // namespace hostpin
