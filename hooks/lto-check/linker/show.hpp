// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/collect2.hpp"
#include "hooks/lto-check/linker/driver_answer.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/cmdline/linker_command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::lto {

/// One run of a linker by a command.
struct ShownLink {
  std::string linker; ///< the program that is finally run: for collect2 its linker
  std::vector<std::string>
      driver; ///< command of the compiler driver that GCC's plugin calls back; may be empty
  cmdline::LinkerCommand words;
  bool by_nvcc = false; ///< nvcc runs it, and takes compiler options after -Xcompiler
  std::vector<std::string>
      made;           ///< files that the command itself writes before the link, such as objects of sources
  LinkerRun run = {}; ///< of a collect2 command
};

/// The linkers that a command runs. The command is a compiler driver, which is run with -###, nvcc, which is
/// run with -dryrun (device link first, then the host's), or a linker itself. Response files are expanded
/// first. Empty if the command links nothing.
Result<std::vector<ShownLink>> show_links(const std::vector<std::string>& command, const LinkTools& tools);

/// Whether a command has an argument that may be an input, whatever it does with it.
bool names_input(const std::vector<std::string>& command, const LinkTools& tools);

} // namespace hostpin::lto
