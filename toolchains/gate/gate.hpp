// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/headers/header_probe.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Inclusive majors; no value means no bound on that side.
struct Bounds {
  std::optional<int> min;
  std::optional<int> max;

  bool operator==(const Bounds&) const = default;
};

/// Which GCC and Clang releases a toolkit's own crt/host_config.h accepts.
struct Gate {
  struct Refusal {
    Family family = Family::other;
    int major = 0;
    std::vector<int> minors; ///< the refused ones, ascending; empty if all are
    std::string where;       ///< `crt/host_config.h:143`, the line of the #error
    std::string text;        ///< of the #error

    bool operator==(const Refusal&) const = default;
  };

  Bounds gcc;
  Bounds clang;
  /// Every hypothetical major that is refused, wholly or in part, ascending within its family. One inside
  /// the bounds is a hole.
  std::vector<Refusal> refusals;

  const Bounds& bounds(Family family) const { return family == Family::clang ? clang : gcc; }

  /// Why this release is refused; null if it is accepted, or outside the evaluated range.
  const Refusal* refusal(Family family, const Version& version) const;

  bool operator==(const Gate&) const = default;
};

/// The gate in an answer of `stdlib-probe gate --json`; an error if it has none.
Result<Gate> read_gate(std::string_view answer);

/// The gate of each toolkit, all evaluated at once. An error means that a gate could not be evaluated; it is
/// never a silent pass.
std::vector<Result<Gate>> gates(std::span<const Toolkit> toolkits, const HeaderProbe& probe);

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
