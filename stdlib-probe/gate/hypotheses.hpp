// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/gate/evaluate.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// A compiler that need not exist: the header is preprocessed with its macros.
struct Hypothesis {
  Family family = Family::gcc;
  int major = 0;
  int minor = 0;
  int patch = 0;

  bool operator==(const Hypothesis&) const = default;
};

/// The first public release of a major: N.1 for GCC from 5 on, N.1 for Clang from 18 on, else N.0.
int usual_minor(Family family, int major);

/// Majors to evaluate, ascending: more than have been released, and one far beyond. The first and the last
/// one distinguish a bound from none.
std::vector<int> hypothetical_majors(Family family);

/// Minors and patch levels to evaluate if the header uses them.
std::vector<int> hypothetical_minors();

/// The macros of the compiler, the C++ language and nvcc that are defined before the header is read.
std::string predefined_macros(const Hypothesis& hypothesis, const Version& toolkit, Machine machine);

/// The macros with the minor and the patch level.
const char* minor_macro(Family family);
const char* patch_macro(Family family);

} // namespace hostpin
