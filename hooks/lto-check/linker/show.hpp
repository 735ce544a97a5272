// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/tools.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/cmdline/linker_command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// One run of a linker, as a command would bring it about.
struct ShownLink {
  std::string linker; ///< the program that is run in the end: behind collect2 its own linker
  std::vector<std::string>
      driver; ///< how the compiler driver is called that GCC's plugin calls back; may be empty
  cmdline::LinkerCommand words;
  bool by_nvcc = false; ///< nvcc runs it, and takes a compiler's options behind -Xcompiler
  std::vector<std::string>
      made; ///< paths that the command writes itself on its way, such as objects of sources
};

/// What a command runs that links: a compiler driver, which is asked with -###, nvcc, which is asked with
/// -dryrun (device link first, then the host's), or a linker itself. Response files are expanded first. Empty
/// when the command links nothing.
Result<std::vector<ShownLink>> show_links(const std::vector<std::string>& command, const LinkTools& tools);

} // namespace hostpin
