// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/version.hpp"

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// What a C++ driver's file name suggests: used to find and order drivers, never to identify one.
struct DriverName {
  std::string target; ///< `x86_64-linux-gnu` of `x86_64-linux-gnu-g++-13`; empty without one
  int rank = 0;       ///< lower is preferred: `g++-13`, `g++`, `c++`, `...-g++`, ..., `mpicxx`
  int stem = 0;       ///< position of its stem in the table of stems
  Version version;    ///< 13 of `g++-13`; 0 without one
};

/// Reads names such as `g++`, `clang++-17`, `aarch64-linux-gnu-g++-12`; nothing for names of other programs.
std::optional<DriverName> driver_name(std::string_view name);

/// True if `a` is to be probed before `b` if both are in one directory.
bool comes_before(const DriverName& a, const DriverName& b);

} // namespace hostpin
