// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
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

} // namespace hostpin
