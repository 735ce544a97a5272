// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/remembered/loaded_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Files and directories that an outcome rests on, there or not: as long as none of them changes, and the
/// environment is the same as far as it matters, the same command has the same outcome.
using Ground = std::vector<std::string>;

/// What the outcome of `probe_command` for a driver rests on. Nothing where it may rest on more than can be
/// told: a script that does more than to start another program, a launcher that chooses a compiler when it
/// runs, arguments whose meaning is not constant, a compiler that is neither GCC nor Clang, an outcome that
/// is no whole answer.
std::optional<Ground> driver_ground(const std::vector<std::string>& driver, const Outcome& outcome,
                                    const Environment& environment, const Files& files,
                                    const LoadedFiles& loaded);

/// What the outcome of a question about links and libraries rests on besides what the driver is. `probe`: of
/// that driver. Nothing where the question had no success.
std::optional<Ground> link_ground(const Command& command, const Outcome& outcome, const Outcome& probe,
                                  const Environment& environment);

} // namespace hostpin
