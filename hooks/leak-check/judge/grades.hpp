// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/rules.hpp"
#include "hooks/leak-check/judge/references.hpp"

#include <string_view>

namespace hostpin {

/// How grave an unwanted path is, what is said of it, and what to do.
struct Grade {
  Severity forbidden;
  Severity build;
  Severity toolkit; ///< nvcc's own path
  std::string_view explanation;
  std::string_view cure; ///< empty: the rule's own
};

const Grade& grade_of(Standing standing);

} // namespace hostpin
