// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace hostpin::command {

/// A command of `hostpin` that is a program in libexec/hostpin.
struct InstalledProgram {
  std::string_view name;
  std::string_view component; ///< of toolchains/components.txt, that has the program
  const char* description;    ///< in `hostpin --help`
};

/// Null if the command is not such a program.
const InstalledProgram* installed_program(std::string_view command);

} // namespace hostpin::command
