// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/headers/header_probe.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A function whose declarations in a toolkit and in a C library conflict, so that nvcc's front end refuses
/// every .cu file, whatever the compiler.
struct Clash {
  enum class Kind {
    exceptions, ///< one promises not to throw, the other does not
    types,      ///< of the result, or of the parameters of two functions with C linkage
    linkage,    ///< C++ at the first declaration, C at the second
  };

  struct Declaration {
    std::string file; ///< absolute
    unsigned line = 0;
    bool throws = false;   ///< it is not noexcept
    std::string says = {}; ///< the part in which they differ: `noexcept`, `float (float)`, `C linkage`, ...

    bool operator==(const Declaration&) const = default;
  };

  std::string name;
  Declaration toolkit;
  Declaration libc;
  Kind kind = Kind::exceptions;

  bool operator==(const Clash&) const = default;
};

/// `exceptions`, `types` or `linkage`.
const char* to_string(Clash::Kind kind);

/// `cospi, cospif and sinpi`.
std::string names(const std::vector<Clash>& clashes);

/// `/usr/include/bits/mathcalls.h:79,81; /cuda/include/crt/math_functions.h:5442,5554`: every location, the C
/// library's files first.
std::string places(const std::vector<Clash>& clashes);

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
