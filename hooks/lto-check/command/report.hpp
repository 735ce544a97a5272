// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/command/check.hpp"
#include "hooks/lto-check/judge/releases.hpp"

#include <span>
#include <string>

namespace hostpin {

/// What is to be said to a person.
struct CheckReport {
  std::string refusals; ///< everything that stops the link, as one message; empty when nothing does
  std::string warnings; ///< the same for what may go wrong
  std::string unread;   ///< the same for what could not be read
  std::string fitting;  ///< one line for each linker about what fits; never empty when there was an input
};

CheckReport report_of(std::span<const LinkCheck> checks, const StreamReleases& releases);

/// The same for programs; the schema is in the README. Ends with a newline.
std::string report_json(std::span<const LinkCheck> checks);

/// 0: all fits; 1: something does not; 2: something could not be read.
int exit_code(std::span<const LinkCheck> checks);

} // namespace hostpin
