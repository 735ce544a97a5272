// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/command/check.hpp"
#include "hooks/lto-check/judge/releases.hpp"
#include "toolchains/base/terminal.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace hostpin::lto {

/// The effect of a judgement on a link, the worst last.
enum class Weight {
  none,    ///< no problem
  warned,  ///< there may be a problem
  unread,  ///< something could not be read
  refused, ///< stops the link
};

/// Receives a text in pieces, because reports on many inputs are long.
using Write = std::function<void(std::string_view)>;

/// Writes everything of one weight other than `none` as one message; nothing is written if there is none.
/// `head` comes before the first line.
void write_report(std::span<const LinkCheck> checks, Weight weight, const StreamReleases& releases,
                  const Write& write, std::string head = {}, const Terminal& terminal = endless);

/// One line for each linker about what fits; never empty when there was an input.
std::string fitting_report(std::span<const LinkCheck> checks);

/// Everything as JSON; the schema is in the README. Ends with a newline.
void write_json(std::span<const LinkCheck> checks, const Write& write);

/// Whether there is nothing to report for an input.
bool all_fits(const LinkCheck& check);

/// 0: all fits; 1: something does not; 2: something could not be read.
int exit_code(std::span<const LinkCheck> checks);

} // namespace hostpin::lto
