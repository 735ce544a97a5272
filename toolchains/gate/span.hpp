// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/gate/gate.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// The last minor that is evaluated: GCC 4.9 and Clang 3.9 had the highest one.
constexpr int last_asked_minor = 9;

/// `6-13`, `up to 13`, `from 6`; `any` without bounds, `none` for a gate that refuses every release.
std::string span(const Bounds& bounds);

/// The bounds of a family's gate, with minors if a bound has one, and its holes: `3.3-17`,
/// `up to 13 but not 12, 11.3-4`.
std::string span(const Gate& gate, Family family);

/// Refusals between the bounds, of a major wholly or in part.
std::vector<Gate::Refusal> holes(const Gate& gate, Family family);

} // namespace hostpin
