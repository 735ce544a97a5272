// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Inclusive majors; no value means no bound on that side.
struct Bounds {
  std::optional<int> min;
  std::optional<int> max;

  bool operator==(const Bounds&) const = default;
};

/// Which GCC and Clang majors a toolkit's own crt/host_config.h lets through, found by preprocessing it.
struct Gate {
  struct Refusal {
    Family family = Family::other;
    int major = 0;
    std::string where; ///< `crt/host_config.h:143`, the line of the #error
  };

  Bounds gcc;
  Bounds clang;
  std::vector<Refusal> refusals; ///< every hypothetical major that was refused, ascending within its family

  const Refusal* refusal(Family family, int major) const;
};

/// Runs `preprocessor` once over the header for every hypothetical GCC and Clang major (macros set by hand)
/// and reads its diagnostics. An error means that the header could not be evaluated; it is never a silent
/// pass.
Result<Gate> evaluate_gate(const Toolkit& toolkit, const Compiler& preprocessor, const Processes& processes);

} // namespace hostpin
