// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// The compiler's own driver behind a command, if its answers depend on nothing but files and the
/// environment.
struct RealDriver {
  std::string program;            ///< as the last one in the row calls it
  std::vector<std::string> files; ///< scripts and programs from the command to the driver
};

/// The row of programs that the first word of a command leads to by plain scripts: their words, the last
/// one's being no script. The error says why that cannot be told.
Result<std::vector<std::vector<std::string>>> programs_behind(const std::vector<std::string>& command,
                                                              const Files& files);

/// Follows plain scripts. The error says what could make the driver's answers depend on more: another kind of
/// script, a launcher that is no driver, an argument whose meaning is not known to be constant.
Result<RealDriver> real_driver(const std::vector<std::string>& command, const Files& files);

} // namespace hostpin
