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

/// The dependencies of an outcome: files and directories, existing or not. As long as none of them and no
/// relevant environment variable changes, the same command has the same outcome.
using Ground = std::vector<std::string>;

/// The dependencies of the outcome of `probe_command` for a driver. Nothing if there may be others that are
/// not known: a script that does more than start another program, a launcher that chooses a compiler when it
/// runs, arguments whose meaning is not constant, a compiler that is neither GCC nor Clang, an incomplete
/// outcome.
std::optional<Ground> driver_ground(const std::vector<std::string>& driver, const Outcome& outcome,
                                    const Environment& environment, const Files& files,
                                    const LoadedFiles& loaded);

/// The dependencies of the outcome of a query about links and libraries, in addition to those of the driver.
/// `probe`: the outcome of probing that driver. Nothing if the query failed.
std::optional<Ground> link_ground(const Command& command, const Outcome& outcome, const Outcome& probe,
                                  const Environment& environment);

} // namespace hostpin
