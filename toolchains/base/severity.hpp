// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace hostpin {

/// Of a finding, in all commands.
enum class Severity {
  note,    ///< worth knowing
  warning, ///< may do harm, or only to some users or on other machines
  error,   ///< something misbehaves, or has a forbidden dependency
};

/// `note`, `warning`, `error`: SARIF's levels.
constexpr std::string_view to_string(Severity severity) {
  switch (severity) {
  case Severity::note:
    return "note";
  case Severity::warning:
    return "warning";
  case Severity::error:
    break;
  }
  return "error";
}

} // namespace hostpin
